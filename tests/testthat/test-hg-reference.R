# The naive reference of hierarchical Gaussian kernels against finite differences.

test_that("the derivatives of the reference are those of differences", {
  set.seed(1)
  for (depth in 1:4) {
    node <- ref_random_node(depth, 4)
    w <- ref_hg_weights(node)
    x <- matrix(runif(16, -1, 1), 4)
    z <- matrix(runif(12, -1, 1), 3)
    k <- function(w) exp(-0.7 * ref_hg_distance(ref_hg_replace(node, w), x[1, ], z[1, ]))
    expect_equal(ref_hg_slopes(node, x[1, ], z[1, ], 0.7), ref_differences(k, w), tolerance = 1e-8)
    width <- function(g) exp(-g * ref_hg_distance(node, x[1, ], z[1, ]))
    expect_equal(ref_hg_width_slope(node, x[1, ], z[1, ], 0.7), ref_differences(width, 0.7),
                 tolerance = 1e-8)
    alpha <- rnorm(4)
    y <- c(-1, 1, 1)
    for (loss in names(ref_hg_losses)) {
      risk <- function(w) ref_hg_risk(ref_hg_replace(node, w), x, alpha, z, y, 0.7, loss, 0.3)
      expect_equal(ref_hg_gradient(node, x, alpha, z, y, 0.7, loss, 0.3), ref_differences(risk, w),
                   tolerance = 1e-7)
    }
  }
})

test_that("a node of depth 1 is a plain Gaussian, and one of small weights nearly constant", {
  set.seed(2)
  x <- matrix(rnorm(12), 4)
  plain <- list(columns = 1:3, weights = rep(1, 3))
  expect_equal(ref_hg_gram(plain, x, gamma = 0.3), exp(-0.3 * as.matrix(dist(x))^2),
               ignore_attr = TRUE)
  small <- list(nodes = list(plain, list(columns = 2L, weights = 9)), weights = c(0.1, 0.2))
  expect_gte(min(ref_hg_gram(small, x)), exp(-2 * (0.01 + 0.04)))
})
