# The median heuristic and the quantile rule.

X <- as.matrix(iris[1:4])

test_that("the median heuristic is the plain one on distinct rows", {
  distance <- sqrt(ref_distance2(X, X))[upper.tri(diag(150))]
  expect_equal(gamma_median(X), 1 / (2 * median(distance[distance > 0])^2))
  expect_equal(gamma_sigest(X), 1 / quantile(distance[distance > 0]^2, c(0.1, 0.5, 0.9)))
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

test_that("the quantile rule takes quantiles of squared distances, and inverts them", {
  # 1, 4 and 9
  probs <- c(0.1, 0.5, 0.9)
  expect_equal(unname(gamma_sigest(cbind(c(0, 1, 3)), probs)), 1 / c(1.6, 4, 8))
})

test_that("many columns are added up part by part", {
  set.seed(4)
  squared <- getFromNamespace("squared_distances", "flexkern")
  for (n in c(40, 1200)) {
    wide <- matrix(rnorm(n * 300), n)
    expect_equal(squared(wide), as.vector(dist(wide))^2, tolerance = 1e-13)
  }
})

test_that("a sparse matrix counts without its empty columns, which cost nothing", {
  x <- as.matrix(iris[1:4])
  x[x < 2] <- 0
  sparse <- as_sparse_matrix(x)
  wide <- Matrix::sparseMatrix(sparse@i + 1, rep(c(3, 10, 1e5, 3e6), diff(sparse@p)), x = sparse@x,
                               dims = c(150, 3e6))
  for (rule in list(gamma_median, gamma_sigest)) for (scale in c("none", "standardize")) {
    expect_equal(rule(wide, scale = scale), rule(x, scale = scale))
  }
  expect_flexkern_error(gamma_median(0 * sparse), "equal")
  gap <- wide
  gap@x[1] <- NA
  expect_flexkern_error(gamma_median(gap), "V3")
  expect_equal(gamma_dmm(sparse, iris$Species)$gamma, gamma_dmm(x, iris$Species)$gamma)
})

test_that("rows are thinned before they are made dense, at most max.n of them", {
  set.seed(5)
  x <- Matrix::rsparsematrix(5000, 40, 0.1)
  old <- options(flexkern.memory = 1e6)
  on.exit(options(old))
  few <- gamma_median(x, max.n = 100.7)
  expect_equal(few, gamma_median(as.matrix(x[round(seq(1, 5000, length.out = 100)), ])))
  expect_refusals(alist(gamma_median(x), gamma_median(x, max.n = 1000, scale = TRUE)))
})

test_that("the quantile rule is near kernlab's", {
  sigest <- from_package("kernlab", "sigest")
  set.seed(2)
  theirs <- rowMeans(replicate(20, sigest(X, frac = 1, scaled = FALSE)))
  expect_equal(unname(rev(gamma_sigest(X))), unname(theirs), tolerance = 0.15)
})
