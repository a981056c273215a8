# Gram matrices of hierarchical kernels against naive R.

as_kernel <- function(node) {
  if (!is.null(node$columns)) return(hg_kernel(node$columns, node$weights))
  hg_kernel(lapply(node$nodes, as_kernel), node$weights)
}

test_that("the Gram matrix is the naive one for depths 1 to 4", {
  set.seed(11)
  for (depth in 1:4) for (gamma in c(0.2, 5)) {
    node <- ref_random_node(depth, 5)
    kernel <- as_kernel(node)
    expect_identical(kernel$depth, depth)
    expect_identical(kernel$size, length(ref_hg_weights(node)))
    x <- matrix(runif(5 * 19, -1, 1), 19)
    z <- matrix(rnorm(5 * 17), 17)
    expect_lt(max(abs(hg_gram(kernel, x, z, gamma) - ref_hg_gram(node, x, z, gamma))), 1e-8)
    own <- hg_gram(kernel, x, gamma = gamma, threads = 2)
    expect_lt(max(abs(own - ref_hg_gram(node, x, gamma = gamma))), 1e-8)
    expect_equal(diag(own), rep(1, 19), tolerance = 1e-12)
    expect_identical(own, hg_gram(kernel, x, gamma = gamma, threads = 1))
  }
})

# Of the sum of right_i left_j k(z_i, x_j) by all weights.
slopes <- function(node, x, z, left, right, gamma, threads = 2L) {
  fk_hg_slopes(x, z, cbind(left), cbind(right), flat_nodes(as_kernel(node)), gamma,
               list(threads = threads))
}

test_that("derivatives by all weights are naive R's and those of differences, depths 1 to 4", {
  set.seed(13)
  for (depth in 1:4) {
    node <- ref_random_node(depth, 4)
    x <- matrix(runif(20, -1, 1), 5)
    z <- matrix(runif(12, -1, 1), 3)
    alpha <- rnorm(5)
    y <- rnorm(3)
    pull <- 2 * (drop(ref_hg_gram(node, z, x, 0.7) %*% alpha) - y) / 3
    found <- slopes(node, x, z, alpha, pull, 0.7)
    expect_equal(found, ref_hg_gradient(node, x, alpha, z, y, 0.7), tolerance = 1e-8)
    risk <- function(w) ref_hg_risk(ref_hg_replace(node, w), x, alpha, z, y, 0.7)
    expect_equal(found, ref_differences(risk, ref_hg_weights(node)), tolerance = 1e-7)
    expect_identical(found, slopes(node, x, z, alpha, pull, 0.7, threads = 1L))
    # gamma multiplies the squares of the top node's weights.
    by_gamma <- outer(1:3, 1:5, Vectorize(function(i, j) {
      pull[i] * alpha[j] * ref_hg_width_slope(node, x[j, ], z[i, ], 0.7)
    }))
    top <- tail(found, length(node$weights))
    expect_equal(sum(top * node$weights) / (2 * 0.7), sum(by_gamma), tolerance = 1e-8)
  }
})

test_that("the sign of a weight and the order of nodes do not matter", {
  set.seed(12)
  x <- matrix(rnorm(30), 10)
  k <- hg_kernel(list(1:2, 3), c(0.5, 2))
  k$nodes[[1]]$weights <- c(1, 3)
  turned <- hg_kernel(list(3, hg_kernel(2:1, c(-3, 1))), c(-2, 0.5))
  expect_equal(hg_gram(turned, x), hg_gram(k, x), tolerance = 1e-12)
})

test_that("far rows and equal rows are told apart exactly", {
  k <- hg_kernel(list(1, 2))
  x <- rbind(c(1e6, 0), c(1e6, 0), c(1e6 + 1e-3, 0), c(-1e6, 1e300))
  K <- hg_gram(k, x, gamma = 1e3)
  expect_identical(K[1, 2], 1)
  expect_equal(K[1, 3], exp(-1e3 * (1 - exp(-1e-6))), tolerance = 1e-6)
  expect_equal(K[1, 4], exp(-2e3), tolerance = 1e-6)
  expect_true(all(is.finite(K)))
})

test_that("more nodes than places are fewer nodes, with a warning", {
  expect_snapshot(k <- hg_random(3, 8, seed = 1))
})

test_that("a kernel that was changed by hand is checked again", {
  x <- matrix(runif(20), 10)
  broken <- function(change) {
    k <- hg_kernel(list(1, 2))
    change(k)
  }
  short <- broken(function(k) replace(k, "weights", list(1)))
  deep <- hg_kernel(list(1, list(1, 2)))
  deep$nodes[[2]]$weights[2] <- NA
  empty <- hg_kernel(list(1, 2))
  empty$nodes[[1]]$columns <- integer()
  far <- hg_kernel(1:2)
  far$columns <- c(1, 1e6)
  longer <- hg_kernel(1:2)
  longer$columns <- 1L
  longer$weights <- 2
  expect_identical(hg_gram(longer, x), hg_gram(hg_kernel(1, 2), x))
  expect_refusals(alist(
    hg_gram(short, x), hg_gram(deep, x), hg_gram(empty, x), hg_gram(far, x), plot(short),
    vpsvm(x, x[, 1], kernel = deep), hgsvm(x, x[, 1], list(hg_kernel(1:2), deep)),
    kbp(x, x[, 1], kernels = short), rmekl(x, x[, 1] > 0.5, kernels = short),
    hg_random(1e9), hg_inhomogeneous(1e9), hg_random(1e6, 100, 20)
  ))
})

test_that("no rows and one row are answered", {
  k <- hg_kernel(list(1, 2))
  expect_identical(dim(hg_gram(k, matrix(0, 0, 2))), c(0L, 0L))
  expect_identical(dim(hg_gram(k, matrix(0, 3, 2), matrix(0, 1, 2))), c(3L, 1L))
})
