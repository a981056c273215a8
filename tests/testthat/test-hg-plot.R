# Pictures of hierarchical kernels, and what they show.

kernel <- hg_kernel(list(1:2, hg_kernel(c(2, 4), c(3, 0.5))), c(0.6, 0.2))

test_that("tiles are the growth of the distance of near rows", {
  h <- 1e-4
  tiles <- flexkern:::leaf_weights(kernel, 4L)
  expect_equal(tiles, 2 * rbind(0.36 * c(1, 1, 0, 0), 0.04 * c(0, 9, 0, 0.25)))
  slopes <- vapply(1:4, function(j) {
    -log(hg_gram(kernel, rbind(rep(0, 4), replace(numeric(4), j, h)))[1, 2]) / h^2
  }, 0)
  expect_equal(colSums(tiles), slopes, tolerance = 1e-5)
})

test_that("a kernel is drawn, with names or without", {
  seen <- main_plot(plot(kernel, main = "mine"))
  expect_identical(dim(seen$z), c(4L, 2L))
  expect_true(drawn(plot(kernel, names = letters[1:4])))
  expect_true(drawn(plot(hg_inhomogeneous(3))))
  expect_true(drawn(plot(hg_kernel(list("a", c("b", "a"))))))
  expect_true(drawn(plot(hg_random(60, 8, 2, seed = 1))))
})

d <- data.frame(matrix(runif(900, -1, 1), 150))
d$k <- factor(rep(c("r", "s", "t"), 50))
d$y <- sin(3 * d$X1) * cos(2 * d$X2) + (d$k == "r")
groups <- hg_kernel(list(1:3, 4:6, 7))
fit <- hgsvm(y ~ ., d, architectures = list(groups, hg_inhomogeneous(7)), steps = 15, seed = 1)

test_that("the pictures of a model are drawn", {
  seen <- main_plot(plot(fit))
  one <- flexkern:::with_gamma(fit$hierarchy, fit$gamma)
  expect_equal(sum(seen$z^2), sum(flexkern:::leaf_weights(one, 9)))
  for (i in 1:2) {
    seen <- main_plot(plot(fit, "error", architecture = i))
    expect_equal(unname(seen$y), unname(as.matrix(fit$learning[[i]]$trace[3:4])))
    expect_true(drawn(plot(fit, "error", architecture = i, log = "")))
  }
  expect_true(drawn(plot(fit, "cv")))
  few <- suppressWarnings(hgsvm(d[1:8, 1:6], d$y[1:8], hg_inhomogeneous(6), gamma = 1, lambda = 1))
  expect_true(drawn(plot(few)))
  expect_refusals(alist(plot(fit, "tree"), plot(fit, "error", architecture = 5),
                        plot(few, "error"), importance(fit, nperms = 3),
                        importance(fit, d, nperm = 0)), environment())
})

test_that("importance is the share of the growth of the distance, or by permutation", {
  shares <- importance(fit)
  expect_named(shares, names(d)[1:7])
  expect_equal(sum(shares), 1)
  growth <- colSums(flexkern:::leaf_weights(fit$hierarchy, 9))
  expect_equal(unname(shares), c(growth[1:6], sum(growth[7:9])) / sum(growth))
  expect_gt(min(shares[1:2]), max(shares[3:6]))
  shuffled <- importance(fit, d, nperm = 2, seed = 1)
  expect_named(shuffled, names(d)[1:7])
  expect_gt(min(shuffled[c("X1", "k")]), max(shuffled[3:6]))
  terms <- hgsvm(y ~ I(X1 * 2) + X2, d, architectures = hg_inhomogeneous(2), steps = 3, seed = 1)
  expect_named(importance(terms), c("I(X1 * 2)", "X2"))
})

test_that("other packages' importance() finds ours", {
  theirs <- from_package("randomForest", "importance")
  expect_identical(theirs(fit), importance(fit))
})
