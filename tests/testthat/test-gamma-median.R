# The median heuristic and the quantile rule.

X <- as.matrix(iris[1:4])

test_that("the median heuristic is the plain one on distinct rows", {
  distance <- sqrt(ref_distance2(X, X))[upper.tri(diag(150))]
  expect_equal(gamma_median(X), 1 / (2 * median(distance[distance > 0])^2))
  expect_equal(gamma_sigest(X), 1 / quantile(distance[distance > 0], c(0.1, 0.5, 0.9))^2)
  expect_equal(2 * gamma_median(X), gamma_sigest(X, 0.5)[["50%"]])
  expect_identical(gamma_median(iris[1:4]), gamma_median(X))
})

test_that("D67: gamma(cX) is gamma(X) / c^2, and equal rows are an error", {
  for (factor in c(10, 1e-3, 2^100)) {
    expect_equal(gamma_median(factor * X), gamma_median(X) / factor^2)
    expect_equal(gamma_sigest(factor * X), gamma_sigest(X) / factor^2)
  }
  expect_equal(gamma_median(factor * X, scale = "range"), gamma_median(X, scale = "range"))
  expect_flexkern_error(gamma_median(matrix(1, 5, 2)), "equal")
  expect_equal(gamma_median(rbind(c(0, 0), c(3, 4))), 1 / 50)
})

test_that("equal rows do not count", {
  expect_equal(gamma_median(cbind(c(0, 0, 0, 0, 2))), 1 / 8)
  expect_equal(gamma_median(cbind(c(5, 7))), 1 / 8)
})

test_that("factors count 1 between levels, missing values can be left out", {
  d <- data.frame(k = factor(c("a", "b", "a")), v = c(0, 0, NA))
  expect_equal(gamma_median(d, na.action = na.omit), 1 / 2)
  expect_flexkern_error(gamma_median(d), "missing")
})

test_that("many rows are thinned evenly, and nothing is random", {
  set.seed(1)
  big <- matrix(rnorm(3000), 1500)
  before <- .Random.seed
  few <- gamma_median(big, max.n = 300)
  expect_identical(.Random.seed, before)
  expect_equal(few, gamma_median(big[round(seq(1, 1500, length.out = 300)), ]))
  expect_equal(few, gamma_median(big, max.n = Inf), tolerance = 0.1)
})

test_that("the quantile rule is near kernlab's", {
  sigest <- from_package("kernlab", "sigest")
  set.seed(2)
  theirs <- rowMeans(replicate(20, sigest(X, frac = 1, scaled = FALSE)))
  expect_equal(unname(rev(gamma_sigest(X))), unname(theirs), tolerance = 0.15)
})
