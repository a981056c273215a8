# Machines whose coefficients may be 0 keep the other rows only.

d <- two_classes(300, 3)
X <- d[-1]
set.seed(1)
s <- data.frame(x = runif(300))
s$y <- sin(6 * s$x) + rnorm(300, sd = 0.1)

machines <- list(
  hinge = function(...) vpsvm(y ~ ., d, loss = "hinge", ...),
  epsilon = function(...) vpsvm(y ~ x, s, loss = "epsilon", epsilon = 0.3, ...)
)
undo_scaling <- getFromNamespace("undo_scaling", "flexkern")
data_of <- function(name) if (name == "hinge") d else s

test_that("every vector has a coefficient, and there are fewer than rows", {
  for (name in names(machines)) {
    for (args in list(list(gamma = 1, lambda = 1e-3),
                      list(gamma = 1, lambda = 1e-3, folds = 5, final = "average", seed = 1),
                      list(seed = 1), list(cells = 3, gamma = 1, lambda = 1e-3, seed = 1),
                      list(max.cell = 100, gamma = 1, lambda = 1e-3, seed = 1))) {
      fit <- do.call(machines[[name]], args)
      n <- length(fit$index)
      expect_lt(n, 200)
      expect_identical(c(nrow(fit$sv), nrow(fit$coef), summary(fit)$support, max(fit$offset)),
                       rep(n, 4L))
      expect_true(all(rowSums(cbind(fit$coef, fit$fold.coef) != 0) > 0))
      x <- data_of(name)
      at <- undo_scaling(fit$sv, fit$scaling)
      expect_equal(at[, 1L], x[[if (name == "hinge") "a" else "x"]][fit$index])
      expect_equal(predict(fit, x), fitted(fit))
      expect_identical(rownames(coef(fit)), as.character(fit$index))
    }
  }
})

test_that("an averaged model is the mean of its fold machines", {
  for (name in names(machines)) {
    fit <- machines[[name]](gamma = 1, lambda = 1e-3, folds = 4, final = "average", seed = 1)
    expect_equal(rowMeans(fit$fold.coef), fit$coef[, 1L], tolerance = 1e-12)
    # A fold machine has no coefficient for the rows that it held out.
    for (f in 1:4) expect_true(all(fit$fold.coef[fit$cv$fold[fit$index] == f, f] == 0))
    x <- data_of(name)
    intervals <- predict(fit, x, interval = "conformal", level = 0.8)
    expect_equal(nrow(intervals), 300)
  }
})

test_that("a refitted machine is as sparse as that of e1071, and the model is smaller", {
  svm <- from_package("e1071", "svm")
  n <- nrow(d)
  theirs <- svm(y ~ ., d, gamma = 0.5, cost = 1)
  ours <- vpsvm(y ~ ., d, loss = "hinge", gamma = 0.5, cost = 1, scale = TRUE)
  expect_lt(abs(length(ours$index) - theirs$tot.nSV), 0.1 * n)
  expect_lt(object.size(ours), object.size(theirs))
  theirs <- svm(y ~ x, s, epsilon = 0.4, gamma = 1, cost = 1)
  ours <- vpsvm(y ~ x, s, loss = "epsilon", epsilon = 0.4, gamma = 1, cost = 1, scale = TRUE)
  expect_lt(object.size(ours), object.size(theirs))
})

test_that("several responses keep a row that one of them needs", {
  fit <- vpsvm(Species ~ ., iris, loss = "hinge", multiclass = "ovo", gamma = 1, lambda = 1e-3)
  expect_lt(length(fit$index), 150)
  expect_true(all(rowSums(fit$coef != 0) > 0))
  expect_true(any(fit$coef == 0))
  expect_identical(predict(fit, iris), fitted(fit))
})

test_that("cells without any vector predict their constant", {
  x <- matrix(c(1:20, 101:120) / 10)
  y <- factor(rep(c("a", "b", "a"), c(20, 10, 10)), c("a", "b"))
  for (loss in c("hinge", "least.squares")) {
    fit <- vpsvm(x, y, loss = loss, cells = 2, gamma = 1, lambda = 1e-4, seed = 1)
    expect_false(any(fit$index <= 20))
    expect_identical(predict(fit, x[1:20, , drop = FALSE]), factor(rep("a", 20), c("a", "b")))
    expect_identical(predict(unserialize(serialize(fit, NULL)), x), fitted(fit))
  }
  flat <- vpsvm(x, rep(7, 40))
  expect_length(flat$index, 0)
  expect_equal(predict(flat, x), rep(7, 40))
  expect_equal(nrow(coef(flat)), 0)
  expect_output(print(summary(flat)), "Support vectors +0")
})

test_that("sparse input, unused rows and the other methods of a model go along", {
  w <- replace(rep(1, 300), 1:30, 0)
  fit <- vpsvm(X, d$y, loss = "hinge", gamma = 1, lambda = 1e-3, weights = w)
  expect_true(all(fit$index > 30))
  expect_identical(predict(fit, X), fitted(fit))
  sparse <- vpsvm(as_sparse_matrix(X), d$y, loss = "hinge", gamma = 1, lambda = 1e-3)
  dense <- vpsvm(X, d$y, loss = "hinge", gamma = 1, lambda = 1e-3)
  expect_lt(nrow(sparse$sv), 300)
  expect_identical(predict(sparse, X), predict(dense, X))
  expect_length(importance(dense, X, d$y, nperm = 1, seed = 1), 3)
  random <- vpsvm(X, d$y, loss = "hinge", partition = "random", cells = 3, gamma = 1,
                  lambda = 1e-3, seed = 1)
  expect_equal(rowSums(predict(random, X[1:5, ], type = "votes")), rep(1, 5))
})

test_that("the plot of a curve shows all rows", {
  fit <- vpsvm(y ~ x, s, loss = "epsilon", epsilon = 0.3, gamma = 1, lambda = 1e-3)
  shown <- main_plot(plot(fit, "fit"))
  expect_equal(shown$x, s$x)
  expect_equal(shown$y, s$y)
  w <- replace(rep(1, 300), 1:30, 0)
  left <- vpsvm(y ~ x, s, loss = "epsilon", epsilon = 0.3, gamma = 1, lambda = 1e-3, weights = w)
  expect_equal(main_plot(plot(left, "fit"))$y, s$y)
  expect_true(drawn(plot(vpsvm(X[1:2], d$y, loss = "hinge", gamma = 1, lambda = 1e-3), "cells")))
  one <- vpsvm(X[1], d$y, loss = "hinge", gamma = 1, lambda = 1e-3)
  expect_equal(range(main_plot(plot(one, "fit"))$x), range(X[[1L]]))
})
