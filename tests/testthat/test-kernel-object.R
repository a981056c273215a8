# hg_kernel() objects as the kernel of vpsvm(), kbp() and rmekl(), against naive R.

set.seed(7)
n <- 80
x <- matrix(runif(4 * n, -1, 1), n, dimnames = list(NULL, c("a", "b", "c", "d")))
y <- sin(3 * x[, 1]) * x[, 2] + 0.1 * rnorm(n)
new <- matrix(runif(40, -1, 1), 10, dimnames = dimnames(x))
two <- hg_kernel(list(c("a", "b"), c("c", "d", "b")), c(0.9, 0.4))
two$nodes[[1]]$weights <- c(1.5, 0.7)
by_number <- list(nodes = list(list(columns = 1:2, weights = c(1.5, 0.7)),
                               list(columns = c(3L, 4L, 2L), weights = c(1, 1, 1))),
                  weights = c(0.9, 0.4))
quick <- function(x, y, kernel, ...) {
  vpsvm(x, y, kernel = kernel, gamma = 0.8, lambda = 1e-3, offset = "none", scale = FALSE, ...)
}

test_that("vpsvm() under a kernel of depth 2 is the solution of the naive system", {
  fit <- quick(x, y, two)
  center <- mean(range(y))
  half <- diff(range(y)) / 2
  alpha <- ref_hg_solve(by_number, x, (y - center) / half, 0.8, 1e-3)
  f <- drop(ref_hg_gram(by_number, new, x, 0.8) %*% alpha)
  expect_equal(predict(fit, new), pmin(1, pmax(-1, f)) * half + center, tolerance = 1e-5)
})

test_that("vpsvm() under a kernel of depth 1 is vpsvm() on scaled columns", {
  v <- c(2, 1, 0.5, 0.1)
  fit <- quick(x, y, hg_inhomogeneous(4, v))
  scaled <- quick(sweep(x, 2, v, "*"), y, "radial")
  expect_equal(predict(fit, new), predict(scaled, sweep(new, 2, v, "*")), tolerance = 1e-6)
  searched <- vpsvm(x, y, kernel = hg_inhomogeneous(4, v), scale = FALSE, seed = 1)
  other <- vpsvm(sweep(x, 2, v, "*"), y, scale = FALSE, seed = 1)
  expect_equal(searched$gamma, other$gamma)
  expect_equal(predict(searched, new), predict(other, sweep(new, 2, v, "*")), tolerance = 1e-4)
})

test_that("cells, losses, formulas and factors take such a kernel", {
  d <- data.frame(x, k = factor(rep(c("r", "s"), n / 2)), y)
  kernel <- hg_kernel(list(c("a", "k"), c("b", "c", "d")))
  fit <- vpsvm(y ~ ., d, kernel = kernel, gamma = 1, lambda = 1e-3)
  expect_identical(sum(lengths(fit$nodes$weights)), 8L)
  by_hand <- vpsvm(y ~ ., d, kernel = hg_kernel(list(c(1L, 5L), 2:4)), gamma = 1, lambda = 1e-3)
  expect_identical(predict(fit, d), predict(by_hand, d))
  cells <- vpsvm(y ~ ., d, kernel = kernel, cells = 3, gamma = 1, lambda = 1e-3, seed = 1)
  expect_length(cells$gamma, 3)
  expect_equal(unname(predict(cells, d)), unname(fitted(cells)), tolerance = 1e-6)
  median <- vpsvm(y ~ ., d, kernel = kernel, loss = "pinball", gamma = 1, lambda = 1e-3)
  expect_lt(mean(abs(d$y - predict(median, d))), mean(abs(d$y - median(d$y))))
  expect_output(print(fit), "hierarchical, 3 nodes, 8 weights")
  again <- unserialize(serialize(fit, NULL))
  expect_identical(predict(again, d), predict(fit, d))
})

test_that("a learned kernel is taken for the same columns in any order, factors too", {
  d <- data.frame(k = factor(rep(c("r", "s"), n / 2)), x, y)
  fit <- hgsvm(y ~ ., d, "inhomogeneous", steps = 5, gamma = 1, lambda = 1e-3, seed = 1)
  again <- vpsvm(y ~ ., d, kernel = fit$hierarchy, gamma = 1, lambda = 1e-3)
  expect_equal(predict(again, d), predict(fit, d), tolerance = 1e-6)
  turned <- vpsvm(y ~ ., d[6:1], kernel = fit$hierarchy, gamma = 1, lambda = 1e-3)
  expect_equal(predict(turned, d), predict(fit, d), tolerance = 1e-6)
  more <- hgsvm(y ~ ., d, fit$hierarchy, steps = 5, gamma = 1, lambda = 1e-3, seed = 1)
  expect_identical(names(coef(more)), names(coef(fit)))
  expect_refusals(alist(vpsvm(y ~ . - k, d, kernel = fit$hierarchy)), environment())
})

test_that("the result is the same for one and two threads", {
  fit <- function(threads) vpsvm(x, y, kernel = two, seed = 1, threads = threads)
  expect_identical(predict(fit(1), new), predict(fit(2), new))
})

test_that("kbp() takes it like a function of the same values", {
  naive <- function(a, b) ref_hg_gram(by_number, a, b, 0.8)
  options <- list(stop = "none", max.steps = 12, scale = FALSE)
  object <- do.call(kbp, c(list(x, y, kernels = list(kernel = two, gamma = 0.8)), options))
  plain <- do.call(kbp, c(list(x, y, kernels = naive), options))
  expect_equal(object$coef, plain$coef, tolerance = 1e-8)
  expect_equal(predict(object, new), predict(plain, new), tolerance = 1e-8)
  kernels <- list("radial", list(two, gamma = c(0.5, 2)))
  several <- do.call(kbp, c(list(x, y, kernels = kernels, bandwidths = 1), options))
  expect_identical(vapply(several$blocks, `[[`, "", "name"),
                   c("radial", "hierarchical", "hierarchical"))
})

test_that("rmekl() takes it like a function of the same values", {
  class <- factor(y > 0)
  naive <- function(a, b) ref_hg_gram(by_number, a, b)
  fit <- function(k) {
    rmekl(x, class, kernels = list("linear", k), c = 0.5, lambda = 1, scale = FALSE)
  }
  object <- fit(two)
  plain <- fit(naive)
  expect_equal(predict(object, new, type = "decision"), predict(plain, new, type = "decision"),
               tolerance = 1e-6)
  expect_true(drawn(plot(object, "map")))
})

refusals <- alist(
  vpsvm(x, y, kernel = 3), vpsvm(x, y, kernel = "hierarchical"), vpsvm(x, y, kernel = list(1:2)),
  vpsvm(x, y, kernel = hg_inhomogeneous(5)), vpsvm(x, y, kernel = hg_kernel(list("a", "z"))),
  vpsvm(as_sparse_matrix(x), y, kernel = two), vpsvm(x, y, kernel = two, gamma = "median"),
  vpsvm(x, y, kernel = hg_inhomogeneous(4, rep(1e30, 4))), predict(damaged, new),
  kbp(x, y, kernels = list(kernel = two, columns = 1:2)),
  kbp(x, y, kernels = list(kernel = two, gamma = 0)),
  kbp(x, y, kernels = hg_inhomogeneous(5)), kbp(x, y, kernels = list(kernel = two, bandwidths = 1)),
  rmekl(x, y > 0, kernels = list(kernel = two, gamma = 1:2)),
  rmekl(x, y > 0, kernels = list("linear", hg_inhomogeneous(9)))
)

test_that("what does not go together is refused, in these words", {
  damaged <- quick(x, y, two)
  damaged$nodes$parts[[1]] <- 1:9
  expect_refusals(refusals, environment())
})
