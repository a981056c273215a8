# Every error that a user of kbp() can trigger, with its wording.

d <- two_classes()
X <- d[-1]
r <- regression_data()
fit <- kbp(t ~ u, r, bandwidths = 1, bound = 0.5)
classes <- kbp(y ~ ., d, bandwidths = 1, bound = 0.3)
given <- kbp(t ~ u, r, kernels = outer(r$u, 1:3, "^"), stop = "none")
sure <- kbp(y ~ ., d, bandwidths = 1, bound = 0.3, probability = TRUE, seed = 1)
constant <- kbp(cbind(1:20), rep(3, 20), seed = 1)
two <- kbp(r["u"], cbind(a = r$t, b = r$v), bandwidths = 1, stop = "none", max.steps = 3)
cubic <- kbp(t ~ u, r, kernels = "polynomial", stop = "none")
damaged <- fit
damaged$coef <- damaged$coef[-1, , drop = FALSE]
fails <- function(a, b) stop("no such kernel.")
broken <- function(a, b) replace(a %*% t(b), 2:3, NaN)
same <- matrix(1, 6, 2)

hostile <- alist(
  kbp(X), kbp(), kbp(y = 1), kbp("text", d$y), kbp(X, d$y[1:3]), kbp(X, NULL), kbp(y ~ nowhere, d),
  kbp(r["u"], cbind(c(Inf, r$t[-1]), r$t)), kbp(r["u"], r[c("t", "v")][1:9, ]),
  kbp(Matrix::Matrix(as.matrix(X), sparse = TRUE), d$y), kbp(X, d$y, probability = NA),
  kbp(r["u"], r$t, probability = TRUE), kbp(cbind(t, v) ~ u, r, type = "classification"),
  kbp(X, d$y, bandwidths = 1, weights = rep(1:0, c(1, 39))),
  # kernels
  kbp(X, d$y, kernels = "gauss"), kbp(X, d$y, kernels = NULL), kbp(X, d$y, kernels = list()),
  kbp(X, d$y, kernels = 3), kbp(X, d$y, kernels = list("radial", "gauss")),
  kbp(X, d$y, kernels = list(kernel = "radial", width = 1)),
  kbp(X, d$y, kernels = list(kernel = "radial", columns = "z")),
  kbp(X, d$y, kernels = list(kernel = "radial", columns = 7)),
  kbp(X, d$y, kernels = list(kernel = "radial", gamma = -1)),
  kbp(X, d$y, kernels = list(kernel = "polynomial", degree = 0)),
  kbp(X, d$y, kernels = list(kernel = "polynomial", coef0 = "a")),
  kbp(X, d$y, kernels = list(kernel = "polynomial", bandwidths = 1)),
  kbp(X, d$y, kernels = list(list(kernel = "radial", degree = 2, coef0 = 1))),
  kbp(X, d$y, kernels = list("radial", list(kernel = "laplace", gamma = 1, bandwidths = 1))),
  kbp(X, d$y, kernels = list(kernel = function(a, b) a %*% t(b), gamma = 1)),
  kbp(X, d$y, kernels = list(kernel = matrix(1:80, 40), columns = 1)),
  kbp(X, d$y, kernels = list("radial", function(a, b) a %*% t(b)), memory = 1e4),
  kbp(X, d$y, kernels = list(kernel = hg_kernel(1:2), gamma = 1:2), memory = 1e4),
  kbp(X * 1e30, d$y, kernels = "polynomial", scale = FALSE),
  kbp(X, d$y, kernels = list("radial", function(a, b) 1)), kbp(X, d$y, kernels = fails),
  kbp(X, d$y, kernels = broken), kbp(X, d$y, kernels = function(a, b) letters),
  kbp(X, d$y, kernels = matrix(1, 3, 2)), kbp(X, d$y, kernels = matrix(NA_real_, 40, 2)),
  kbp(X, d$y, kernels = matrix("a", 40, 2)), kbp(X, d$y, kernels = matrix(1, 40, 2), stop = "none"),
  # bandwidths
  kbp(X, d$y, bandwidths = 0), kbp(X, d$y, bandwidths = "wide"), kbp(X, d$y, bandwidths = NULL),
  kbp(X, d$y, key = "mean"), kbp(same, 1:6), kbp(same, 1:6, bandwidths = 1),
  kbp(X, d$y, bandwidths = 1e30, stop = "none"),
  # rules
  kbp(X, d$y, intercept = "none"), kbp_artificial("sine", 10), kbp_artificial("ramp"),
  kbp_artificial("ramp", 1), kbp_artificial("ramp", 10, noise = -1),
  kbp_artificial("ramp", t = c(0.5, 2)), kbp_artificial("ramp", 3, t = c(0.5, 0.7)),
  kbp(X, d$y, stop = "cv"), kbp(X, d$y, bound = -1), kbp(X, d$y, bound = "a"),
  kbp(X, d$y, stop = "cv.nu", bound = 2), kbp(X, d$y, stop = "random", bound = 1:2),
  kbp(X, d$y, stop = "random", bound = 0.5), kbp(X, d$y, stop = "trap", bound = NA),
  kbp(X, d$y, stop = "whiteness", bound = 1), kbp(X, d$y, stop = "loss", bound = -1),
  kbp(X, d$y, stop = "none", bound = 1), kbp(X, d$y, traps = 3),
  kbp(X, d$y, stop = "random", traps = 0), kbp(X, d$y, stop = "random", traps = matrix(1:4, 2)),
  kbp(X, d$y, stop = "random", traps = matrix(NaN, 40, 2)),
  kbp(X, d$y, stop = "random", traps = d$a[1:9]), kbp(X, d$y, stop = "random", bound = 15),
  kbp(X, d$y, stop = "random", traps = matrix(1, 40, 2)), kbp(X, d$y, stop = "trap", bound = 40),
  kbp(X, d$y, stop = "trap", traps = -1), kbp(X, d$y, stop = "random", trap.type = "cauchy"),
  kbp(X, d$y, method = "mp", last.step = "ols"), kbp(X, d$y, method = "ridge"),
  kbp(X, d$y, last.step = "first"), kbp(X, d$y, max.steps = 0),
  kbp(X, d$y, folds = 1), kbp(X, d$y, folds = 100), kbp(X, d$y, scale = "log"),
  kbp(r["u"], cbind(r$t, 5 * r$v), bound = 1),
  # the rest
  kbp(X, d$y, gamma = 1), kbp(X, d$y, bandwith = 1), kbp(y ~ ., d, y = 3),
  kbp(X, d$y, device = "tpu"), kbp(X, d$y, seed = "a"), kbp(X, d$y, weights = rep(0, 40)),
  # predict and its friends
  predict(fit, r, s = -1), predict(fit, r, s = 1:2), predict(fit, r, s = 1e5),
  predict(fit, r, s = 100, mode = "l1"), predict(fit, r, s = 2, mode = "fraction"),
  predict(fit, r, mode = "t", s = 1), predict(fit, s = 2), predict(fit, r["v"]),
  predict(fit, r, type = "votes"), predict(classes, d, type = "prob"),
  predict(classes, type = "decision"), predict(fit, r, blocks = list(1)), predict(given, r),
  predict(given, r, blocks = matrix(NA_real_, 60, 3)), plot(given, "fit"),
  predict(sure, d, type = "prob", s = 1), predict(given, r, blocks = matrix(1, 2, 3)),
  predict(given, r, blocks = matrix(1, 60, 1)),
  predict(damaged, r), coef(fit, s = "end"), coef(fit, s = 500), coef(fit, standardized = NA),
  coef(fit, step = 3), plot(fit, "cv"), plot(classes, "fit"), plot(constant, "path"),
  plot(fit, response = 2), plot(fit, "tree"), predict(two, r, blok = 1), fitted(fit, 3),
  predict(cubic, data.frame(u = 1e200))
)

test_that("hostile calls are errors of ours, in these words", {
  expect_refusals(hostile)
})
