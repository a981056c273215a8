# Reduced multiple empirical kernel learning: Tables 3 and 4 and Figures 2 to 4 of the paper, beside
# its figures in paper-rmekl.csv, and larger data beside vpsvm() and e1071.
#
#   Rscript rmekl.R [reps=10] [data=iris,wine,wdbc,...] [methods=rmekl,multik,svm2k,kmhks,svm]
#                   [scales=none,range] [parts=ranks,accuracy,pairs,tradeoff,times,scale]
#                   [threads=2] [large=rmekl,vpsvm,svm] [letter.rank=100] [covtype.rank=300]
#                   [out=results]
#
# Each run appends one row to a file of OUT; runs that are there already are not repeated, so that a
# study can be stopped, resumed and extended. The tables go to OUT/rmekl.md. The data are read from
# the folder that the variable FLEXKERN_DATA names. `out` lies beside this script unless it is an
# absolute path.
library(flexkern)

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
source(file.path(here, "rmekl-report.R"))
paper <- utils::read.csv(file.path(here, "paper-rmekl.csv"))

settings_from <- function(given) {
  s <- list(reps = "10", data = paste(paper$data, collapse = ","),
            methods = "rmekl,multik,svm2k,kmhks,svm", scales = "none,range",
            parts = "ranks,accuracy,pairs,tradeoff,times,scale", threads = "2",
            large = "rmekl,vpsvm,svm", letter.rank = "100", covtype.rank = "300", out = "results")
  pairs <- strsplit(given, "=", fixed = TRUE)
  names(pairs) <- vapply(pairs, `[`, "", 1)
  stopifnot(all(names(pairs) %in% names(s)), lengths(pairs) == 2)
  s[names(pairs)] <- lapply(pairs, `[`, 2)
  words <- function(x) strsplit(x, ",")[[1]]
  for (name in c("data", "methods", "scales", "parts", "large")) s[[name]] <- words(s[[name]])
  numbers <- c("reps", "threads", "letter.rank", "covtype.rank")
  s[numbers] <- lapply(s[numbers], as.integer)
  if (!startsWith(s$out, "/")) s$out <- file.path(here, s$out)
  s
}

s <- settings_from(commandArgs(trailingOnly = TRUE))
options(flexkern.threads = s$threads, flexkern.verbose = FALSE)
dir.create(s$out, showWarnings = FALSE, recursive = TRUE)

# Rows with missing values, which only the mammographic masses have, are left out.
read_data <- function(name) {
  file <- file.path(Sys.getenv("FLEXKERN_DATA"), paste0(name, ".csv.gz"))
  if (!file.exists(file)) return(NULL)
  d <- stats::na.omit(utils::read.csv(file))
  list(x = as.matrix(d[setdiff(names(d), c("y", "split"))]), y = factor(d$y), split = d$split)
}

cpu <- function(code) {
  seconds <- system.time(code)
  seconds[["user.self"]] + seconds[["sys.self"]]
}

# Runs `todo()`, a data frame of one row, unless the file has a row with this key.
run_once <- function(file, key, todo) {
  path <- file.path(s$out, file)
  if (file.exists(path)) {
    done <- utils::read.csv(path, colClasses = "character")
    same <- Reduce(`&`, lapply(names(key), function(k) done[[k]] == as.character(key[[k]])))
    if (any(same)) return(invisible())
  }
  row <- data.frame(key, todo())
  utils::write.table(row, path, append = file.exists(path), col.names = !file.exists(path),
                     row.names = FALSE, sep = ",")
  message(format(Sys.time(), "%H:%M:%S "), file, ": ", paste(unlist(key), collapse = " "))
}

# ---- Table 4: ranks of the whole data ------------------------------------------------------------

# Ranks need no classes: one machine on labels of no meaning.
rank_of <- function(d, kernel, basis, rbf) {
  y <- factor(rep_len(1:2, nrow(d$x)))
  width <- if (identical(kernel, "radial")) list(rbf.scale = rbf)
  m <- suppressWarnings(do.call(rmekl, c(
    list(d$x, y, kernels = kernel, basis = basis, c = 1, scale = FALSE, max.iter = 1, seed = 1),
    width
  )))
  data.frame(rank = m$views$rank)
}

run_ranks <- function() {
  for (name in s$data) {
    d <- read_data(name)
    if (is.null(d)) next
    for (basis in c("elimination", "full", "random")) {
      for (kernel in c("linear", "polynomial", "radial")) {
        for (rbf in if (kernel == "radial") c("variance", "sigma") else "variance") {
          run_once("rmekl-ranks.csv", list(data = name, kernel = kernel, basis = basis, rbf = rbf),
                   function() rank_of(d, kernel, basis, rbf))
        }
      }
    }
  }
}

# ---- Table 3: accuracy over half and half splits -------------------------------------------------

# Halves of every class.
half_split <- function(y, rep) {
  set.seed(rep)
  half <- function(i) i[sample.int(length(i), ceiling(length(i) / 2))]
  unlist(lapply(split(seq_along(y), y), half))
}

# The paper's values of all penalties.
grid <- 2^(-4:4)

fit_method <- function(method, x, y, scale, rep) {
  switch(
    method,
    rmekl = rmekl(x, y, c = grid, lambda = grid, scale = scale, seed = rep),
    sigma = rmekl(x, y, c = grid, lambda = grid, scale = scale, seed = rep, rbf.scale = "sigma"),
    multik = rmekl(x, y, c = grid, lambda = grid, basis = "full", scale = scale, seed = rep),
    kmhks = kmhks(x, y, c = grid, scale = scale, seed = rep),
    svm2k = svm2k(x, y, cost = grid, D = grid, scale = scale, seed = rep),
    svm = tuned_svm(x, y, scale, rep)
  )
}

# e1071's svm() with the paper's width and a cross-validated cost.
tuned_svm <- function(x, y, scale, rep) {
  set.seed(rep)
  gamma <- 1 / (2 * mean(as.matrix(stats::dist(if (scale == "range") unit(x, x) else x)))^2)
  cost <- grid
  error <- vapply(cost, function(cost) {
    m <- e1071::svm(if (scale == "range") unit(x, x) else x, y, cost = cost, gamma = gamma,
                    scale = FALSE, cross = 5)
    m$tot.accuracy
  }, 0)
  m <- e1071::svm(if (scale == "range") unit(x, x) else x, y, cost = cost[which.max(error)],
                  gamma = gamma, scale = FALSE)
  structure(list(m = m, like = x, scale = scale), class = "tuned_svm")
}

unit <- function(x, like) {
  low <- apply(like, 2, min)
  width <- apply(like, 2, max) - low
  sweep(sweep(x, 2, low), 2, ifelse(width == 0, 1, width / 2), "/") - 1
}

predict.tuned_svm <- function(object, newdata, ...) {
  x <- if (object$scale == "range") unit(newdata, object$like) else newdata
  stats::predict(object$m, x)
}

accuracy_run <- function(d, method, scale, rep) {
  train <- half_split(d$y, rep)
  fit <- NULL
  fitting <- cpu(fit <- suppressWarnings(suppressMessages(
    fit_method(method, d$x[train, ], d$y[train], scale, rep)
  )))
  predicted <- NULL
  predicting <- cpu(predicted <- stats::predict(fit, d$x[-train, ]))
  data.frame(accuracy = round(100 * mean(predicted == d$y[-train]), 3), cpu = round(fitting, 3),
             predict = round(predicting, 3))
}

run_accuracy <- function() {
  for (rep in seq_len(s$reps)) for (scale in s$scales) for (name in s$data) {
    d <- read_data(name)
    if (is.null(d)) next
    for (method in s$methods) {
      run_once("rmekl-accuracy.csv", list(data = name, method = method, scale = scale, rep = rep),
               function() accuracy_run(d, method, scale, rep))
    }
  }
}

# The accuracies of all pairs of penalties on the same halves, in the order of penalty_pairs().
pairs_run <- function(d, scale, rep) {
  train <- half_split(d$y, rep)
  pairs <- penalty_pairs()
  accuracy <- mapply(function(c, lambda) {
    fit <- suppressWarnings(rmekl(d$x[train, ], d$y[train], c = c, lambda = lambda, scale = scale))
    100 * mean(stats::predict(fit, d$x[-train, ]) == d$y[-train])
  }, pairs$c, pairs$lambda)
  data.frame(accuracy = paste(round(accuracy, 2), collapse = " "))
}

run_pairs <- function() {
  for (rep in seq_len(s$reps)) for (scale in s$scales) for (name in s$data) {
    d <- read_data(name)
    if (is.null(d)) next
    run_once("rmekl-pairs.csv", list(data = name, scale = scale, rep = rep),
             function() pairs_run(d, scale, rep))
  }
}

# ---- Figures 2 to 4 ------------------------------------------------------------------------------

# Seconds of a fit with given penalties, and of the prediction of 20 000 rows.
timed <- function(x, y, test, fitter) {
  fit <- NULL
  fitting <- cpu(fit <- suppressWarnings(suppressMessages(fitter(x, y))))
  many <- test$x[rep_len(seq_len(nrow(test$x)), 20000), ]
  predicting <- cpu(stats::predict(fit, many))
  data.frame(
    accuracy = round(100 * mean(stats::predict(fit, test$x) == test$y), 3),
    cpu = round(fitting, 3), predict = round(predicting, 3), rows = length(fit$index),
    rank = round(sum(fit$views$size) / max(fit$views$group), 1),
    bytes = as.numeric(utils::object.size(fit))
  )
}

fixed <- function(...) function(x, y) rmekl(x, y, c = 1 / 16, lambda = 1, ..., seed = 1)

# Against n, on segment.
run_times <- function() {
  d <- read_data("segment")
  if (is.null(d)) return()
  test <- half_split(d$y, 1)
  train <- setdiff(seq_along(d$y), test)
  ways <- list(rmekl = fixed(), random = fixed(basis = "random"), multik = fixed(basis = "full"),
               svm2k = function(x, y) svm2k(x, y, cost = 1, D = 1))
  for (n in c(140, 280, 560, 1120)) for (way in names(ways)) {
    set.seed(1)
    rows <- unlist(lapply(split(train, d$y[train]), function(i) i[sample.int(length(i), n / 7)]))
    run_once("rmekl-times.csv", list(method = way, n = n), function() {
      timed(d$x[rows, ], d$y[rows], list(x = d$x[test, ], y = d$y[test]), ways[[way]])
    })
  }
}

# Against the tolerance, on half of segment.
run_tradeoff <- function() {
  d <- read_data("segment")
  if (is.null(d)) return()
  train <- half_split(d$y, 1)
  test <- list(x = d$x[-train, ], y = d$y[-train])
  run <- function(basis, tol, fitter) {
    # Where no kernel is left at this tolerance there is no row.
    try(run_once("rmekl-tradeoff.csv", list(basis = basis, tol = tol),
                 function() timed(d$x[train, ], d$y[train], test, fitter)), silent = TRUE)
  }
  run("full", 0, fixed(basis = "full"))
  for (basis in c("elimination", "cholesky")) {
    run(basis, 0, fixed(basis = basis))
    for (tol in 10^c(-8, -6, -5, -4, -3, -2, -1)) run(basis, tol, fixed(basis = basis, tol = tol))
  }
}

# ---- larger data ---------------------------------------------------------------------------------

peak_gb <- function() {
  if (!file.exists("/proc/self/status")) return(NA)
  line <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
  round(as.numeric(gsub("[^0-9]", "", line)) / 1e6, 2)
}

large_run <- function(d, train, test, method, rank) {
  fit <- NULL
  x <- d$x[train, ]
  y <- d$y[train]
  fitting <- cpu(fit <- suppressMessages(switch(
    method,
    rmekl = rmekl(x, y, c = 1 / 16, lambda = 1 / 16, basis = "cholesky", max.rank = rank),
    vpsvm = vpsvm(x, y, seed = 1),
    svm = e1071::svm(x, y)
  )))
  predicted <- NULL
  predicting <- cpu(predicted <- stats::predict(fit, d$x[test, ]))
  data.frame(n = length(train), rank = if (method == "rmekl") rank else NA,
             accuracy = round(100 * mean(predicted == d$y[test]), 3), cpu = round(fitting, 1),
             predict = round(predicting, 1), peak.gb = peak_gb())
}

# e1071 is left out on covtype, where it takes more than six minutes. The peak is of this process:
# run the methods of `large` one by one to compare it.
run_scale <- function() {
  d <- read_data("letter")
  for (method in s$large) if (!is.null(d)) {
    run_once("rmekl-scale.csv", list(data = "letter", method = method), function() {
      large_run(d, which(d$split == "train"), which(d$split != "train"), method, s$letter.rank)
    })
  }
  d <- read_data("covtype")
  if (is.null(d)) return()
  d$y <- factor(d$y == "2", labels = c("rest", "two"))
  set.seed(77)
  rows <- sample.int(nrow(d$x), 75000)
  d <- list(x = d$x[rows, ], y = d$y[rows])
  for (method in setdiff(s$large, "svm")) {
    run_once("rmekl-scale.csv", list(data = "covtype", method = method), function() {
      large_run(d, 1:50000, 50001:75000, method, s$covtype.rank)
    })
  }
}

for (part in s$parts) get(paste0("run_", part))()
lines <- report_lines(s$out, paper)
writeLines(lines, file.path(s$out, "rmekl.md"))
writeLines(lines)
