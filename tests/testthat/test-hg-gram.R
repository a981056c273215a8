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
    x <- matrix(runif(5 * 37, -1, 1), 37)
    z <- matrix(rnorm(5 * 19), 19)
    expect_lt(max(abs(hg_gram(kernel, x, z, gamma) - ref_hg_gram(node, x, z, gamma))), 1e-8)
    own <- hg_gram(kernel, x, gamma = gamma, threads = 2)
    expect_lt(max(abs(own - ref_hg_gram(node, x, gamma = gamma))), 1e-8)
    expect_equal(diag(own), rep(1, 37), tolerance = 1e-12)
    expect_identical(own, hg_gram(kernel, x, gamma = gamma, threads = 1))
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

test_that("no rows and one row are answered", {
  k <- hg_kernel(list(1, 2))
  expect_identical(dim(hg_gram(k, matrix(0, 0, 2))), c(0L, 0L))
  expect_identical(dim(hg_gram(k, matrix(0, 3, 2), matrix(0, 1, 2))), c(3L, 1L))
})
