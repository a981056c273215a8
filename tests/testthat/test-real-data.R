# Real data, read from the folder that FLEXKERN_DATA names: one gzipped table per data set.

read_real <- function(name) {
  folder <- Sys.getenv("FLEXKERN_DATA")
  if (!nzchar(folder)) skip("FLEXKERN_DATA is not set: the real data are not read")
  file <- file.path(folder, paste0(name, ".csv.gz"))
  if (!file.exists(file)) skip(paste0(name, ".csv.gz is not in FLEXKERN_DATA"))
  utils::read.csv(file)
}

test_that("pima: as good as the default of e1071", {
  skip_if_not_installed("e1071")
  d <- read_real("pima")
  d$y <- factor(d$y)
  set.seed(42)
  train <- sample(nrow(d), round(0.75 * nrow(d)))
  fit <- vpsvm(y ~ ., d[train, ], seed = 1)
  peer <- e1071::svm(y ~ ., d[train, ])
  error <- function(model) mean(predict(model, d[-train, ]) != d$y[-train])
  expect_lt(error(fit), error(peer) + 0.03)
})

test_that("satimage: six classes, cells and one machine", {
  d <- read_real("satimage")
  train <- d$split == "train"
  d <- transform(d[setdiff(names(d), "split")], y = factor(y))
  error <- function(fit) mean(predict(fit, d[!train, ]) != d$y[!train])
  fit <- vpsvm(y ~ ., d[train, ], gamma = c(1, 2), lambda = c(1e-5, 1e-4), max.cell = 1500,
               seed = 1)
  expect_gt(length(fit$cell.size), 2)
  expect_lt(error(fit), 0.115)
})

test_that("cpusmall: regression in its own unit", {
  d <- read_real("cpusmall")
  set.seed(42)
  train <- sample(nrow(d), 1500)
  fit <- vpsvm(y ~ ., d[train, ], gamma = c(0.1, 0.3), lambda = c(1e-6, 1e-5), seed = 1)
  mse <- mean((predict(fit, d[-train, ]) - d$y[-train])^2)
  expect_lt(mse, 25)
  expect_equal(fit$cv.error, mse, tolerance = 0.7)
})

test_that("pima and satimage: Brier scores no worse than those of e1071", {
  skip_if_not_installed("e1071")
  for (name in c("pima", "satimage")) {
    d <- read_real(name)
    d <- transform(d[setdiff(names(d), "split")], y = factor(y))
    set.seed(42)
    rows <- sample(nrow(d), min(nrow(d), 2000))
    train <- rows[seq_len(length(rows) / 2)]
    new <- d[setdiff(rows, train), ]
    brier <- function(p) mean(rowSums((p - outer(new$y, colnames(p), "=="))^2))
    fit <- vpsvm(y ~ ., d[train, ], probability = TRUE, seed = 1)
    peer <- e1071::svm(y ~ ., d[train, ], probability = TRUE)
    theirs <- attr(predict(peer, new, probability = TRUE), "probabilities")
    expect_lt(brier(predict(fit, new, type = "prob")), brier(theirs) + 0.01)
  }
})

test_that("pima and the balance scale: the ranks that the paper of rmekl() prints", {
  rank <- function(name, kernel, basis) {
    d <- read_real(name)
    x <- unname(as.matrix(d[setdiff(names(d), c("y", "split"))]))
    width <- if (kernel == "radial") list(rbf.scale = "sigma")
    m <- suppressWarnings(do.call(rmekl, c(
      list(x, factor(rep_len(1:2, nrow(x))), kernel, c = 1, basis = basis, scale = FALSE,
           max.iter = 1), width
    )))
    m$views$rank
  }
  for (basis in c("elimination", "full")) {
    expect_identical(rank("pima", "linear", basis), 8L)
    expect_identical(rank("balance_scale", "linear", basis), 4L)
    expect_identical(rank("balance_scale", "polynomial", basis), 15L)
    expect_identical(rank("pima", "radial", basis), 768L)
  }
  # Rounding costs elimination one of the 45 dimensions, here as there.
  expect_identical(rank("pima", "polynomial", "elimination"), 44L)
  expect_identical(rank("pima", "polynomial", "full"), 45L)
  expect_identical(rank("balance_scale", "radial", "full"), 624L)
})
