# An argument that changes nothing in the fit is refused: lost without a word it would make tune()
# choose at random. A default that is only repeated gets a message.

d <- two_classes()
X <- d[-1]
r <- regression_data()

test_that("arguments of vpsvm() that do nothing are errors", {
  idle <- function(y, ...) expect_flexkern_error(vpsvm(X, y, ...), "has no meaning for")
  idle(d$y, epsilon = 0.2)
  idle(d$y, epsilon = 0.2, loss = "hinge")
  for (loss in c("least.squares", "pinball", "expectile")) idle(d$c, epsilon = 0.2, loss = loss)
  idle(d$y, degree = 2)
  idle(d$y, coef0 = 1)
  idle(d$y, degree = 2, kernel = "linear")
  idle(d$y, coef0 = 1, kernel = hg_inhomogeneous(3))
  for (word in c("ovr", "ovo")) idle(d$c, multiclass = word)
  idle(d$y, overlap = 0.5, partition = "none")
  idle(d$y, overlap = 0.5, partition = "random", cells = 2)
  idle(d$y, overlap = 0.5, cells = 1)
  idle(d$y, gamma = 1, lambda = 0.1, refine = TRUE, folds = 3)
  idle(d$y, gamma = 1, lambda = 0.1, validation = "split")
  idle(d$y, kernel = "linear", lambda = 0.1, refine = TRUE)
  expect_flexkern_error(vpsvm(t ~ ., r, multiclass = "ovo"), "regression; leave it out")
})

test_that("those of the other fitters are errors too", {
  idle <- function(fit) expect_flexkern_error(fit, "has no meaning for")
  idle(hgsvm(X, d$y, epsilon = 0.2))
  idle(hgsvm(X, d$y, cycles = 2))
  idle(hgsvm(X, d$y, anneal = 5, optimizer = "lbfgs"))
  idle(hgsvm(X, d$y, descent = 2))
  idle(hgsvm(X, d$y, temperature = 1))
  idle(hgsvm(X, d$y, restart = "init"))
  idle(hgsvm(X, d$y, spread = 0.1))
  idle(hgsvm(X, d$y, restart = "init", optimizer = "anneal", rounds = 1))
  idle(hgsvm(X, d$y, steps = 2, optimizer = "anneal"))
  idle(hgsvm(X, d$y, patience = 2, loss = "hinge"))
  idle(hgsvm(X, d$y, batch = 20, optimizer = "lbfgs"))
  idle(hgsvm(X, d$y, rate = 0.2, optimizer = "lbfgs"))
  idle(kbp(X, d$y, kernels = "linear", bandwidths = 1))
  idle(kbp(X, d$y, kernels = list("linear", list(kernel = "radial", gamma = 1)), bandwidths = 1))
  idle(kbp(X, d$y, kernels = list(kernel = "laplace", bandwidths = 2), bandwidths = 1))
  idle(kbp(X, d$y, bandwidths = 1, key = "min"))
  idle(kbp(X, d$y, trap.type = "uniform"))
  idle(kbp(X, d$y, stop = "trap", trap.type = "uniform"))
  idle(kbp(X, d$y, stop = "random", traps = rnorm(40), trap.type = "uniform"))
  idle(kbp(X, d$y, method = "omp", last.step = "ols"))
  idle(kos(X, d$y, rank = 2, energy = 0.5))
  idle(rmekl(X, d$y, kernels = "radial", lambda = 2))
  idle(rmekl(X, d$y, kernels = "radial", w.update = "sequential"))
  idle(rmekl(X, d$y, b.update = "exact", rho = 0.5))
  idle(rmekl(X, d$y, kernels = c("linear", "polynomial"), rbf.scale = "sigma"))
  idle(mhks(X, d$y, b.update = "exact", rho = 0.5))
  idle(kmhks(X, d$y, b.update = "exact", rho = 0.5))
  idle(kmhks(X, d$y, kernel = "linear", rbf.scale = "sigma"))
  idle(svm2k(X, d$y, kernels = list("linear", list(kernel = "radial", gamma = 1)),
             rbf.scale = "sigma"))
})

test_that("they are used where they have a meaning", {
  fits <- list(
    vpsvm(t ~ ., r, loss = "epsilon", epsilon = 0.2, gamma = 1, lambda = 0.1),
    vpsvm(X, d$y, kernel = "polynomial", degree = 2, coef0 = 1, lambda = 0.1),
    vpsvm(Species ~ ., iris, multiclass = "ovo", gamma = 1, lambda = 0.1),
    vpsvm(X, d$y, gamma = 1, lambda = 0.1, folds = 2, validation = "split"),
    vpsvm(X, d$y, gamma = 1, lambda = c(0.1, 1), search = "full", refine = TRUE, seed = 1),
    kbp(X, d$y, kernels = list("linear", "radial"), bandwidths = 1, bound = 0.5),
    kbp(X, d$y, key = "min", bound = 0.5),
    rmekl(X, d$y, kernels = list("linear", list(kernel = "rad")), rbf.scale = "sigma", c = 1,
          lambda = 1),
    rmekl(X, d$y, b.update = "ho-kashyap", rho = 0.5, c = 1, lambda = 1),
    kmhks(X, d$y, rbf.scale = "sigma", c = 1)
  )
  for (fit in fits) expect_type(unclass(fit), "list")
})

test_that("a default that is repeated gets one message and changes nothing", {
  plain <- vpsvm(y ~ ., d, gamma = 1, lambda = 0.1)
  expect_message(
    fit <- vpsvm(y ~ ., d, kernel = "radial", degree = 3, coef0 = 0, epsilon = 0.1, gamma = 1,
                 lambda = 0.1),
    "`epsilon`, `degree`, `coef0` are at their defaults.*and kernel = \"radial\""
  )
  expect_identical(predict(fit, d, type = "decision"), predict(plain, d, type = "decision"))
  expect_silent(vpsvm(t ~ ., r, multiclass = "auto", gamma = 1, lambda = 0.1))
  expect_message(kos(X, d$y, rank = 2, energy = 0.99), "`energy` is at its default")
  # What is left to the fit is not given.
  expect_silent(rmekl(X, d$y, kernels = "radial", lambda = NULL, c = 1))
  expect_silent(vpsvm(X, d$y, gamma = 1, lambda = 0.1, overlap = NULL, partition = "none"))
})

test_that("they are seen through formulas, positions, update() and tune()", {
  expect_flexkern_error(vpsvm(y ~ ., d, epsilon = 0.5), "`epsilon` has no meaning")
  expect_flexkern_error(vpsvm(y ~ ., d, deg = 2), "no argument|no meaning")
  fit <- vpsvm(y ~ ., d, gamma = 1, lambda = 0.1)
  expect_flexkern_error(update(fit, epsilon = 0.5), "`epsilon` has no meaning")
  expect_flexkern_error(do.call(vpsvm, list(y ~ ., data = d, degree = 2)), "`degree`")
  tune <- from_package("e1071", "tune")
  expect_flexkern_error(
    tune(vpsvm, t ~ ., data = r, ranges = list(epsilon = c(0.01, 0.5), gamma = 1, lambda = 0.1)),
    "`epsilon` has no meaning for loss = \"least.squares\"; use loss = \"epsilon\""
  )
})

test_that("folds that are asked for are made, in every fitter", {
  fits <- list(
    vpsvm(X, d$y, gamma = 1, lambda = 0.1, folds = 3, seed = 1),
    kbp(X, d$y, bandwidths = 1, bound = 0.5, folds = 3, seed = 1),
    kbp(X, d$y, bandwidths = 1, stop = "none", folds = 3, seed = 1),
    kos(X, d$y, gamma = 1, folds = 3, seed = 1),
    rmekl(X, d$y, c = 1, lambda = 1, folds = 3, seed = 1),
    mhks(X, d$y, c = 1, folds = 3, seed = 1),
    kmhks(X, d$y, c = 1, folds = 3, seed = 1),
    svm2k(X, d$y, cost = 1, D = 1, folds = 3, seed = 1)
  )
  for (fit in fits) expect_true(fit$cv.error >= 0 && fit$cv.error <= 1, info = class(fit)[1L])
})

test_that("predict() and plot() refuse them too", {
  fit <- vpsvm(t ~ u, r, gamma = 1, lambda = c(0.1, 1), seed = 1)
  expect_flexkern_error(predict(fit, r, level = 0.5), "`level` has no meaning without")
  expect_flexkern_error(plot(fit, "fit", cell = 1), "belongs to type = \"cv\"")
  expect_flexkern_error(plot(fit, "fit", newdata = r), "belong to type = \"roc\"")
  expect_silent(predict(fit, r, interval = "conformal", level = 0.5))
})

test_that("the wording", {
  expect_snapshot(error = TRUE, {
    vpsvm(t ~ ., r, epsilon = 0.2)
    vpsvm(y ~ ., d, degree = 2)
    vpsvm(y ~ ., d, coef0 = 1, kernel = hg_inhomogeneous(3))
    vpsvm(t ~ ., r, multiclass = "ovo")
    vpsvm(y ~ ., d, overlap = 0.5, cells = 1)
    vpsvm(y ~ ., d, overlap = 0.5, partition = "random")
    vpsvm(y ~ ., d, gamma = 1, lambda = 0.1, refine = TRUE)
    vpsvm(y ~ ., d, gamma = 1, lambda = 0.1, validation = "split")
    hgsvm(y ~ ., d, cycles = 2)
    hgsvm(y ~ ., d, spread = 0.1)
    hgsvm(y ~ ., d, steps = 2, optimizer = "anneal")
    kbp(y ~ ., d, kernels = "linear", bandwidths = 1)
    kbp(y ~ ., d, bandwidths = 1, key = "min")
    kbp(y ~ ., d, trap.type = "uniform")
    kbp(y ~ ., d, stop = "random", traps = rnorm(40), trap.type = "uniform")
    kbp(y ~ ., d, method = "omp", last.step = "ols")
    kos(y ~ ., d, rank = 2, energy = 0.5)
    rmekl(y ~ ., d, kernels = "radial", lambda = 2)
    rmekl(y ~ ., d, b.update = "exact", rho = 0.5)
    kmhks(y ~ ., d, kernel = "linear", rbf.scale = "sigma")
    predict(vpsvm(y ~ ., d, gamma = 1, lambda = 0.1), d, level = 0.5)
    plot(vpsvm(y ~ ., d, gamma = 1, lambda = 0.1), "cells", cell = 1)
    plot(vpsvm(y ~ ., d, gamma = 1, lambda = 0.1), "cells", newdata = d)
  })
  expect_snapshot(vpsvm(y ~ ., d, degree = 3, epsilon = 0.1, gamma = 1, lambda = 0.1)$cv.error)
})
