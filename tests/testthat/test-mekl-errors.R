# Every error that a user of rmekl(), mhks(), kmhks() and svm2k() can trigger, with its wording.

d <- two_classes()
X <- d[-1]
fit <- rmekl(y ~ ., d, c = 0.5, lambda = 1)
by_xy <- rmekl(X, d$y, c = 0.5, lambda = 1)
damaged <- fit
damaged$coef[[2]] <- damaged$coef[[2]][-1, , drop = FALSE]
zero <- cbind(X, none = 0)
constant <- rmekl(zero, d$y, list(kernel = "radial", columns = "none"), c = 1, scale = FALSE)
fails <- function(a, b) stop("no such kernel.")
skewed <- function(a, b) outer(a[, 1], b[, 1], "-")
indefinite <- function(a, b) a[, 1] %*% t(b[, 1]) - a[, 2] %*% t(b[, 2])
cubic <- rmekl(y ~ a, d, list(kernel = "polynomial", degree = 3), c = 1)

hostile <- alist(
  rmekl(), rmekl(X), rmekl(y = d$y), rmekl("text", d$y), rmekl(X, d$y[1:3]), rmekl(X, d$a),
  rmekl(X, factor(rep("a", 40))), rmekl(X, d$y, type = "regression"),
  rmekl(Matrix::Matrix(as.matrix(X), sparse = TRUE), d$y), rmekl(y ~ nowhere, d),
  # kernels
  rmekl(X, d$y, kernels = "gauss"), rmekl(X, d$y, kernels = NULL), rmekl(X, d$y, kernels = list()),
  rmekl(X, d$y, kernels = 3), rmekl(X, d$y, kernels = list("linear", 3)),
  rmekl(X, d$y, kernels = list(kernel = "radial", width = 1)),
  rmekl(X, d$y, kernels = list(kernel = "radial", columns = "z")),
  rmekl(X, d$y, kernels = list(kernel = "radial", gamma = -1)),
  rmekl(X, d$y, kernels = list(kernel = "radial", gamma = 1:2)),
  rmekl(X, d$y, kernels = list(kernel = "polynomial", degree = 0)),
  rmekl(X, d$y, kernels = list(kernel = "polynomial", coef0 = -1)),
  rmekl(X, d$y, kernels = list(kernel = "radial", gamma = "median")),
  rmekl(X, d$y, kernels = list("linear", list("radial", degree = 3, coef0 = 1))),
  rmekl(X, d$y, kernels = list("linear", gamma = 3)),
  rmekl(X, d$y, kernels = list(kernel = fails, gamma = 3)),
  rmekl(X, d$y, kernels = fails), rmekl(X, d$y, kernels = skewed),
  rmekl(X, d$y, kernels = function(a, b) 1),
  rmekl(X, d$y, kernels = indefinite, basis = "cholesky"),
  rmekl(X * 1e30, d$y, kernels = "polynomial", scale = FALSE),
  rmekl(zero, d$y, kernels = list(kernel = "linear", columns = "none"), c = 1, scale = FALSE),
  kmhks(X, d$y, kernel = c("linear", "radial")), svm2k(X, d$y, kernels = "linear"),
  svm2k(X, d$y, kernels = list("linear", indefinite), cost = 1, D = 1),
  rmekl(X, d$y, c = 1e-100, lambda = 1e100),
  # numbers and words
  rmekl(X, d$y, c = 0), rmekl(X, d$y, c = "a"), rmekl(X, d$y, lambda = -1),
  rmekl(X, d$y, basis = "svd"), rmekl(X, d$y, tol = 2), rmekl(X, d$y, max.rank = 0),
  rmekl(X, d$y, rbf.scale = 1), rmekl(X, d$y, multiclass = "all"), rmekl(X, d$y, rho = 0),
  rmekl(X, d$y, rho = 1.5), rmekl(X, d$y, b.start = -1), rmekl(X, d$y, b.update = "none"),
  rmekl(X, d$y, w.update = "random"), rmekl(X, d$y, xi = -1), rmekl(X, d$y, criterion = "none"),
  rmekl(X, d$y, root = "square"), rmekl(X, d$y, root = "symmetric", basis = "full"),
  svm2k(X, d$y, bias = "none"), rmekl(X, d$y, max.iter = 0), rmekl(X, d$y, folds = 1),
  rmekl(X, d$y, folds = 100),
  rmekl(X, d$y, memory = 1000), rmekl(X, d$y, basis = "cholesky", memory = 1000),
  rmekl(X, d$y, hg_kernel(1:2), memory = 1000), kmhks(X, d$y, memory = 1000),
  svm2k(X, d$y, memory = 1000),
  svm2k(X, d$y, cost = -1), svm2k(X, d$y, D = 0), svm2k(X, d$y, balance = 1),
  svm2k(X, d$y, epsilon = -1), mhks(X, d$y, kernels = "linear"), kmhks(X, d$y, basis = "random"),
  rmekl(X, d$y, gamma = 1), rmekl(y ~ ., d, y = 3), rmekl(X, d$y, device = "tpu"),
  rmekl(flexkern:::mold_formula(y ~ ., d, NULL, NULL, na.fail), weights = 1),
  # predict and its friends
  predict(fit, d["a"]), predict(fit, d, type = "prob"), predict(fit, type = "pairs"),
  predict(fit, d, type = "class"), predict(fit, d, memory = 1), predict(damaged, d),
  predict(cubic, data.frame(a = 1e200)),
  plot(fit, "tree"), plot(fit, "map", machine = 2), plot(by_xy, "map", newdata = X),
  plot(constant, "map"), plot(damaged), formula(by_xy)
)

test_that("hostile calls are errors of ours, in these words", {
  expect_refusals(hostile)
})

test_that("warnings say what happened", {
  two <- list("radial", list(kernel = "linear", columns = "none"))
  expect_snapshot({
    m <- rmekl(y ~ ., d, c = 1, lambda = 1, xi = 0, max.iter = 3)
    m <- rmekl(X, d$y, indefinite, c = 1)
    m <- rmekl(zero, d$y, two, c = 1, lambda = 1, scale = FALSE)
  })
})

test_that("printing", {
  m <- rmekl(Species ~ ., iris, c = 0.25, lambda = 1)
  expect_snapshot(print(m))
})
