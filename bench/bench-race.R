# How good is the pair that search = "race" picks? Its exact cross-validated error beside the least
# one of the grid, both by dense factorisations in double precision, for sub-samples of real data
# (the folder that FLEXKERN_DATA names) and an artificial set, with three seeds, the first of them
# for the first number of rows, and so on; and test errors of both pairs.
#   Rscript bench/bench-race.R rows=640,760,900 threads=2 sets=pima,cod_rna
source("bench/common.R")
library(flexkern)

settings <- arguments(rows = c(640, 760, 900), threads = default_threads(), sets = "all",
                      limit = 0.005)

sets <- c("pima", "sonar", "heart", "ionosphere", "wdbc", "vehicle", "segment", "satimage",
          "letter", "cod_rna", "ijcnn1", "covtype", "magic", "shuttle", "cadata", "cpusmall",
          "ccpp", "bank32nh", "updrs", "type_1")
regression <- c("cadata", "cpusmall", "ccpp", "bank32nh", "updrs", "type_1")

load_set <- function(name) {
  if (name == "type_1") {
    data <- vp_artificial("I", n = 6000, seed = 1)
    return(list(x = as.matrix(data["x"]), y = data$y))
  }
  data <- data_file(name)
  if (is.null(data)) return(NULL)
  response <- intersect(c("y", "class", "Class", "target", "label"), names(data))[1]
  y <- data[[response]]
  x <- data[setdiff(names(data), c(response, "split"))]
  if (name == "letter") y <- as.integer(y) <= 13
  if (!name %in% regression) y <- factor(y)
  list(x = stats::model.matrix(~ . - 1, x), y = y)
}

# The targets of the least-squares problems behind a fit: one column a class beyond two.
targets <- function(y) {
  if (!is.factor(y)) {
    range <- range(y)
    return(matrix(2 * (y - range[1]) / diff(range) - 1))
  }
  y <- droplevels(y)
  if (nlevels(y) == 2) matrix(2 * (y == levels(y)[2]) - 1) else 2 * outer(y, levels(y), "==") - 1
}

# The exact risk of every pair on the folds of a fit.
exact_surface <- function(x, target, fold, grid) {
  distance <- as.matrix(stats::dist(x))^2
  risk <- matrix(0, length(grid$gamma), length(grid$lambda))
  for (g in seq_along(grid$gamma)) {
    gram <- exp(-grid$gamma[g] * distance)
    for (f in unique(fold)) {
      train <- fold != f
      inner <- eigen(gram[train, train], symmetric = TRUE)
      right <- crossprod(inner$vectors, target[train, , drop = FALSE])
      left <- gram[!train, train] %*% inner$vectors
      for (l in seq_along(grid$lambda)) {
        shifted <- pmax(inner$values, 0) + grid$lambda[l] * sum(train)
        value <- pmax(-1, pmin(1, left %*% (right / shifted)))
        risk[g, l] <- risk[g, l] + sum((target[!train, , drop = FALSE] - value)^2)
      }
    }
  }
  risk / length(target)
}

# The folds of a fit: a pure function of classes and seed.
folds_of <- function(x, y, fit) {
  options <- list(gamma = 1, lambda = 0.1, folds = fit$folds, seed = fit$seed, threads = 1L)
  strata <- if (is.factor(y)) as.integer(y) else rep(1L, length(y))
  flexkern:::fk_vp_fit(x, targets(y), rep(1, nrow(x)), strata, rep(1L, nrow(x)), options)$fold
}

test_error <- function(fit, x, y) {
  predicted <- predict(fit, x)
  if (!is.factor(y)) return(mean((predicted - y)^2) / stats::var(y))
  mean(as.character(predicted) != as.character(y))
}

race <- function(name, seed) {
  data <- load_set(name)
  if (is.null(data)) return(NULL)
  set.seed(seed)
  n <- settings$rows[(seed - 1) %% length(settings$rows) + 1]
  n <- min(n, floor(0.75 * nrow(data$x)))
  train <- sample(nrow(data$x), n)
  test <- utils::head(setdiff(sample(nrow(data$x)), train), 3000)
  y <- if (is.factor(data$y)) droplevels(data$y[train]) else data$y[train]
  rare <- if (is.factor(y)) y %in% names(which(table(y) < 2)) else FALSE
  train <- train[!rare]
  y <- if (is.factor(y)) droplevels(y[!rare]) else y
  if (is.factor(y)) test <- test[data$y[test] %in% levels(y)]
  x <- data$x[train, , drop = FALSE]
  fit <- suppressMessages(vpsvm(x, y, seed = seed, threads = settings$threads, partition = "none",
                                verbose = FALSE))
  grid <- fit$grid[[1]]
  scaled <- flexkern:::apply_scaling(x, fit$scaling)
  exact <- exact_surface(scaled, targets(y), folds_of(scaled, y, fit), grid)
  g <- match(fit$gamma, grid$gamma)
  l <- match(fit$lambda, grid$lambda)
  at <- arrayInd(which.min(exact), dim(exact))
  best <- update(fit, gamma = grid$gamma[at[1]], lambda = grid$lambda[at[2]], folds = 5,
                 final = "average")
  test_x <- data$x[test, , drop = FALSE]
  row <- data.frame(set = name, seed = seed, n = length(train), chosen = paste0(g, ",", l),
             best = paste0(at[1], ",", at[2]), excess = exact[g, l] / min(exact) - 1,
             settled = sum(grid$settled), test = test_error(fit, test_x, data$y[test]),
             test_best = test_error(best, test_x, data$y[test]))
  message(name, ", seed ", seed, ": ", decimals(100 * row$excess, 2), " % above the least risk")
  row
}

chosen <- if (identical(settings$sets, "all")) sets else settings$sets
rows <- lapply(chosen, function(name) do.call(rbind, lapply(1:3, race, name = name)))
rows <- do.call(rbind, rows)
markdown(data.frame(rows[1:5], `excess %` = decimals(100 * rows$excess, 2),
                    settled = rows$settled, `test error` = decimals(rows$test, 4),
                    `of the best pair` = decimals(rows$test_best, 4), check.names = FALSE))
cat("within", 100 * settings$limit, "% of the least risk:", sum(rows$excess <= settings$limit),
    "of", nrow(rows), "\nmean test error:", mean(rows$test), "and of the best pair:",
    mean(rows$test_best), "\n")
