test_that("letters of the alphabet: a default fit is good and complete", {
  skip_if_not_installed("mlbench")
  data <- get_mlbench("LetterRecognition")[1:600, ]
  data <- droplevels(data[data$lettr %in% c("A", "B", "C", "D"), ])
  fit <- vpsvm(lettr ~ ., data, seed = 1)
  expect_lt(fit$cv.error, 0.15)
  expect_lt(mean(fit$residuals), 0.1)
  expect_identical(fit$partition, "none")
  expect_identical(dim(fit$grid[[1]]$risk), c(10L, 10L))
  expect_identical(dim(fit$coef), c(nrow(data), 4L))
})

test_that("regression is returned in its own unit", {
  d <- regression_data()
  shifted <- transform(d, t = 1000 + 50 * t)
  a <- vpsvm(t ~ u, d, seed = 1)
  b <- vpsvm(t ~ u, shifted, seed = 1)
  expect_equal(predict(b, d), 1000 + 50 * predict(a, d), tolerance = 1e-4)
  expect_equal(b$cv.error, 2500 * a$cv.error, tolerance = 1e-3)
  expect_lt(a$cv.error, 0.1)
})

test_that("clipping keeps predictions in the range of the training labels", {
  d <- regression_data()
  far <- data.frame(u = seq(-4, 4, by = 0.1))
  fit <- vpsvm(t ~ u, d, kernel = "polynomial", lambda = 1e-5, clip = TRUE)
  expect_gte(min(predict(fit, far)), min(d$t) - 1e-12)
  expect_lte(max(predict(fit, far)), max(d$t) + 1e-12)
  free <- update(fit, clip = FALSE)
  expect_gt(max(abs(predict(free, far))), max(abs(d$t)))
})

test_that("cost is e1071's C", {
  d <- two_classes()
  a <- vpsvm(y ~ ., d, gamma = 1, cost = 2)
  b <- vpsvm(y ~ ., d, gamma = 1, lambda = 1 / (2 * 2 * 40))
  expect_equal(a$lambda, 1 / 160)
  expect_equal(predict(a, d, type = "decision"), predict(b, d, type = "decision"))
  several <- vpsvm(y ~ ., d, gamma = 1, cost = c(1, 10), seed = 1)
  expect_setequal(several$grid[[1]]$lambda, 1 / (2 * c(1, 10) * 40))
  local <- vpsvm(y ~ ., d, gamma = 1, cost = c(1, 10), cells = 2, seed = 1)
  for (j in 1:2) {
    expect_lt(min(abs(2 * local$lambda[j] * c(1, 10) * local$cell.size[j] - 1)), 1e-9)
  }
})

test_that("no search without a choice, and no validation unless asked", {
  d <- two_classes()
  fixed <- vpsvm(y ~ ., d, gamma = 1, lambda = 0.01)
  expect_identical(fixed$folds, 0)
  expect_identical(fixed$final, "refit")
  expect_true(is.na(fixed$cv.error))
  asked <- vpsvm(y ~ ., d, gamma = 1, lambda = 0.01, folds = 4, seed = 1)
  expect_identical(asked$final, "average")
  expect_false(is.na(asked$cv.error))
  expect_false(is.na(asked$cv.risk))
})

test_that("D88: every documented kernel, loss and option fits and predicts", {
  d <- two_classes()
  choices <- list(kernel = c("radial", "polynomial", "linear"), validation = c("cv", "split"),
                  final = c("average", "refit"), search = c("race", "full"),
                  refine = c(TRUE, FALSE), clip = c(TRUE, FALSE),
                  scale = c("range", "standardize", "none"), device = c("auto", "cpu"),
                  partition = c("auto", "voronoi", "random", "none"), loss = "least.squares")
  for (arg in names(choices)) for (value in choices[[arg]]) {
    args <- c(list(y ~ ., data = d, seed = 1), stats::setNames(list(value), arg))
    fit <- do.call(vpsvm, args)
    expect_lt(mean(predict(fit, d) != d$y), 0.3)
  }
})

test_that("scale: words, TRUE and FALSE, one logical per column", {
  d <- two_classes()
  fit <- function(scale, data = d) {
    predict(vpsvm(y ~ ., data, gamma = 1, lambda = 0.01, scale = scale), data, type = "decision")
  }
  expect_identical(fit(TRUE), fit("standardize"))
  expect_identical(fit(FALSE), fit("none"))
  by_hand <- d
  by_hand$b <- as.vector(scale(d$b))
  expect_equal(fit(c(FALSE, TRUE, FALSE)), fit(FALSE, by_hand))
  expect_equal(fit("range"), fit("range", transform(d, a = 1e6 * a + 5)))
})

test_that("D70: a small max.iter is reported", {
  d <- regression_data(300)
  d$u <- d$u * 1e6
  expect_warning(
    fit <- vpsvm(d["u"], d$t, scale = FALSE, gamma = 1e-11, cost = 1e6, max.iter = 1),
    "did not converge"
  )
  expect_false(fit$converged)
  expect_length(predict(fit, d), 300)
})

test_that("D64: values beyond the kernel's range are an error", {
  y <- factor(c(1, 2, 1, 2))
  huge <- matrix(c(1e200, -1e200, 3, 4), 4, 1)
  expect_flexkern_error(vpsvm(huge, y, scale = FALSE), "radial kernel overflows")
  expect_flexkern_error(vpsvm(huge, y, scale = FALSE, gamma = 1, lambda = 1), "radial.*gamma = 1")
  wide <- matrix(c(1e5, -1e5, 3, 4), 4, 1)
  expect_flexkern_error(
    vpsvm(wide, y, scale = FALSE, kernel = "polynomial", degree = 10, gamma = 1, lambda = 1),
    "polynomial"
  )
})

test_that("a row of weight 0 is as good as left out", {
  d <- regression_data()
  d$t[1] <- 1e6
  d$u[2] <- 1e6
  w <- replace(rep(c(1, 2), length.out = nrow(d)), 1:2, 0)
  with <- vpsvm(t ~ ., d, weights = w, gamma = 1, lambda = 0.01)
  without <- vpsvm(t ~ ., d[-(1:2), ], weights = w[-(1:2)], gamma = 1, lambda = 0.01)
  expect_equal(predict(with, d[5:20, ]), predict(without, d[5:20, ]), tolerance = 1e-6)
})

test_that("a cell that leaves nothing to learn from has no validated error", {
  d <- regression_data()
  alone <- vpsvm(t ~ u, d, cells = nrow(unique(d["u"])), seed = 1)
  expect_true(is.na(alone$cv.error))
})

test_that("fitted values are the predictions on the training rows", {
  d <- regression_data()
  for (partition in c("none", "voronoi", "random")) {
    cells <- if (partition == "none") 1 else 4
    fit <- vpsvm(t ~ ., d, partition = partition, cells = cells, seed = 1)
    expect_equal(fitted(fit), predict(fit, d), tolerance = 1e-6)
  }
})

test_that("matrix columns protected by I() are columns like others", {
  d <- two_classes()
  M <- as.matrix(d[-1])
  a <- vpsvm(data.frame(M = I(M)), d$y, gamma = 1, lambda = 0.01)
  b <- vpsvm(M, d$y, gamma = 1, lambda = 0.01)
  expect_equal(a$coef, b$coef)
})

test_that("coef() has the coefficients of the kernel expansion", {
  d <- two_classes()
  fit <- vpsvm(y ~ ., d, kernel = "linear", lambda = 0.01, offset = "none", scale = FALSE)
  a <- coef(fit)
  expect_identical(dimnames(a), list(as.character(fit$index), "high/low"))
  x <- as.matrix(d[-1])
  by_hand <- x %*% crossprod(x[as.integer(rownames(a)), ], a)
  expect_equal(unname(by_hand), unname(predict(fit, d, type = "decision")), tolerance = 1e-4)
  expect_identical(ncol(coef(vpsvm(Species ~ ., iris, gamma = 1, lambda = 0.1))), 3L)
})

test_that("a large cell is searched on a sample of its rows, then on all of them", {
  d <- regression_data(600)
  fit <- vpsvm(t ~ ., d, search.rows = 200, seed = 3)
  tried <- fit$grid[[1]]$tried
  best <- tried[which.min(tried[, "risk"]), ]
  expect_identical(fit$search.rows, 200L)
  expect_equal(best, c(gamma = fit$gamma, lambda = fit$lambda, risk = fit$cv.risk))
  expect_output(print(fit), "1 cell searched on 200 rows")
  all <- vpsvm(t ~ ., d, seed = 3)
  expect_identical(all$search.rows, 600L)
  expect_identical(nrow(all$grid[[1]]$tried), 0L)
  expect_no_match(capture.output(print(all)), "searched on")
  expect_lt(fit$cv.risk, 1.1 * all$cv.risk)
  expect_identical(predict(vpsvm(t ~ ., d, search.rows = 200, seed = 3, threads = 1), d),
                   predict(fit, d))
})

test_that("the race finds the second of two valleys", {
  two_valleys <- function(seed, n, p) {
    set.seed(seed)
    x <- matrix(rnorm(n * p), n)
    list(x = x, y = x[, 1]^2 + sin(4 * x[, p]) + rnorm(n, 0, 0.3))
  }
  d <- two_valleys(21, 700, 3)
  fit <- function(search) vpsvm(d$x, d$y, offset = "none", seed = 1, search = search)
  expect_lt(fit("race")$cv.error, 1.01 * fit("full")$cv.error)
})

test_that("only ratios of weights matter, however large they are", {
  d <- two_classes()
  shape <- function(w, low) {
    unclass(vpsvm(y ~ ., d, weights = w, class.weights = c(low = low, high = 2 * low),
                  gamma = 1, lambda = c(0.1, 0.01), seed = 1))[c("coef", "intercept", "cv.error")]
  }
  w <- rep(1:2, length.out = nrow(d))
  same <- shape(w, 1)
  expect_true(is.finite(same$cv.error))
  expect_identical(shape(w * 2^1000, 2^700), same)
  expect_identical(shape(w * 2^-1000, 2^-1000), same)
})

test_that("a column may span more than the largest number", {
  d <- two_classes()
  wide <- d
  wide$a <- d$a / max(abs(d$a)) * 1.7e308
  fit <- function(d) vpsvm(y ~ ., d, gamma = 1, lambda = 0.01, seed = 1)
  expect_equal(predict(fit(wide), wide, type = "decision"),
               predict(fit(d), d, type = "decision"))
})
