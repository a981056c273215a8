# exp(-gamma D) by METHODS' recursion, pair by pair.
naive_distance <- function(node, u, v) {
  if (!is.null(node$columns)) return(sum(node$weights^2 * (u - v)[node$columns]^2))
  below <- vapply(node$nodes, naive_distance, 0, u, v)
  2 * sum(node$weights^2 * (1 - exp(-below)))
}

naive_gram <- function(kernel, x, z, gamma) {
  exp(-gamma * outer(seq_len(nrow(x)), seq_len(nrow(z)), Vectorize(function(i, j) {
    naive_distance(kernel, x[i, ], z[j, ])
  })))
}

some_kernels <- function() {
  set.seed(7)
  leaf <- function(columns) hg_kernel(columns, runif(length(columns), 0.3, 1.5))
  two <- function(...) hg_kernel(list(...), runif(...length(), 0.3, 1))
  list(
    leaf(1:5), two(leaf(1:2), leaf(3:5)),
    two(two(leaf(1:2), leaf(2:3)), two(leaf(4), leaf(c(5, 1)), leaf(2))),
    two(two(two(leaf(1), leaf(2)), two(leaf(3:5))), two(two(leaf(5)))),
    two(leaf(1:2), two(leaf(3), leaf(4:5)))
  )
}

test_that("the Gram matrix is that of the definition, in any depth", {
  set.seed(1)
  x <- matrix(runif(17 * 5, -1, 1), 17)
  z <- matrix(runif(101 * 5, -1, 1), 101)
  for (k in some_kernels()) {
    expect_equal(hg_gram(k, x, z, 0.7), naive_gram(k, x, z, 0.7), tolerance = 1e-12)
    expect_identical(diag(hg_gram(k, x)), rep(1, 17))
    expect_identical(hg_gram(k, x, z, threads = 1), hg_gram(k, x, z, threads = 2))
  }
  expect_equal(hg_gram(hg_inhomogeneous(5, c(2, 0, 0, 1, 0)), x, gamma = 1),
               exp(-as.matrix(dist(cbind(2 * x[, 1], x[, 4])))^2), ignore_attr = TRUE)
})

test_that("an architecture is what was written down", {
  k <- hg_kernel(list(1:2, hg_kernel(3:4, weights = c(1, 2)), list(1, 5)))
  expect_identical(k$depth, 3L)
  expect_identical(k$size, 3L + 2L + 2L + 2L + 2L)
  expect_equal(k$weights, rep(sqrt(1 / 3), 3))
  flat <- flexkern:::flat_nodes(k)
  expect_identical(flat$leaf, c(TRUE, TRUE, TRUE, TRUE, FALSE, FALSE))
  expect_identical(flat$parts[5:6], list(3:4, c(1L, 2L, 5L)))
  w <- seq_len(k$size) / 10
  expect_equal(flexkern:::all_weights(flexkern:::with_weights(k, w)), w)
  expect_identical(hg_kernel(k), k)
  expect_equal(hg_kernel(list(1, 2), weights = c(1, 3))$weights, c(1, 3))
  x <- data.frame(a = 1:3 / 3, b = 3:1 / 3)
  expect_equal(hg_gram(hg_kernel(list("b", "a")), x), hg_gram(hg_kernel(list(2, 1)), x))
})

test_that("random nodes share the columns out evenly, none twice in a node", {
  for (seed in 1:8) for (saturation in c(1, 1.7, 2, 3)) {
    k <- hg_random(7, 4, saturation, seed)
    columns <- lapply(k$nodes, `[[`, "columns")
    expect_false(any(vapply(columns, anyDuplicated, 0L) > 0))
    expect_identical(sum(lengths(columns)), as.integer(floor(7 * saturation)))
    expect_lte(diff(range(lengths(columns))), 1)
    expect_lte(diff(range(table(factor(unlist(columns), 1:7)))), 1)
  }
  expect_identical(hg_random(9, 3, seed = 4), hg_random(9, 3, seed = 4))
  set.seed(3)
  a <- hg_random(9, 3)
  expect_false(identical(a, hg_random(9, 3)))
  expect_warning(k <- hg_random(3, 8, seed = 1), "more nodes \\(8\\) than places")
  expect_length(k$nodes, 3)
})

test_that("groups of columns become nodes", {
  k <- hg_groups(c("p", "q", "p"))
  expect_identical(lapply(k$nodes, `[[`, "columns"), list(c(1L, 3L), 2L))
  expect_identical(hg_groups(list(p = c(1, 3), q = 2)), k)
  named <- hg_groups(c(a = "p", b = "q", c = "p"))
  expect_identical(named$nodes[[1]]$columns, c("a", "c"))
})

test_that("a kernel prints its nodes", {
  expect_snapshot({
    hg_kernel(list(1:2, hg_kernel(3:4, weights = c(1, 2))))
    hg_inhomogeneous(12)
    hg_kernel(list("a", list(5, "b")))
  })
})

test_that("errors: hierarchical kernels", {
  x <- matrix(1:6 / 6, 3)
  expect_snapshot(error = TRUE, {
    hg_kernel()
    hg_kernel(integer())
    hg_kernel(list())
    hg_kernel(list(1:2, integer()))
    hg_kernel(list(1:2, list(3, c(4, 4))))
    hg_kernel(c(1, NA))
    hg_kernel(0:2)
    hg_kernel(mean)
    hg_kernel(1:2, weights = 1)
    hg_kernel(1:2, weights = c(1, Inf))
    hg_inhomogeneous(0)
    hg_random(5, nodes = 0)
    hg_random(5, saturation = 0)
    hg_random(5, saturation = 0.1)
    hg_random(5, nodes = 2, saturation = 3)
    hg_kernel(Reduce(function(node, i) list(node), 1:3000, 1))
    hg_groups(NULL)
    hg_groups(c("a", NA))
    hg_gram(1, x)
    hg_gram(hg_kernel(1:2), "a")
    hg_gram(hg_kernel(1:2), x, gamma = -1)
    hg_gram(hg_kernel(1:3), x)
    hg_gram(hg_kernel(c("a", "b")), x)
    hg_gram(hg_kernel(1:2), x, x[, 1, drop = FALSE])
    hg_gram(hg_kernel(1:2), x * NA)
    hg_gram(hg_kernel(1:2), x, memory = 10)
  })
})
