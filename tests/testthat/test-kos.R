# Kernel-based optimal subspaces against the obvious computation.

d <- two_classes()

# Squared distance of each row of z to the subspace of the rows of x, by projection in feature
# space: the Gram matrix of a basis of eigenvectors, in plain loops.
ref_subspace_distance <- function(z, x, gamma, rank, centered) {
  k <- ref_kernel(x, x, "radial", gamma)
  kz <- ref_kernel(z, x, "radial", gamma)
  kzz <- rep(1, nrow(z))
  n <- nrow(x)
  if (centered) {
    J <- diag(n) - 1 / n
    kzz <- kzz - 2 * rowMeans(kz) + mean(k)
    kz <- (kz - rep(colMeans(k), each = nrow(z))) %*% J
    k <- J %*% k %*% J
  }
  e <- eigen(k, symmetric = TRUE)
  out <- kzz
  for (j in seq_len(rank)) out <- out - drop(kz %*% e$vectors[, j])^2 / e$values[j]
  pmax(out, 0)
}

test_that("distances are those of the projection, centered or not", {
  set.seed(1)
  x <- as.matrix(iris[1:4])
  for (centered in c(FALSE, TRUE)) for (rank in c(1, 4)) {
    m <- kos(x, iris$Species, gamma = 0.7, rank = rank, centered = centered, scale = FALSE)
    z <- x + 0.3 * rnorm(600)
    ref <- vapply(levels(iris$Species), function(class) {
      ref_subspace_distance(z, x[iris$Species == class, ], 0.7, rank, centered)
    }, numeric(150))
    expect_equal(predict(m, z, type = "decision"), -ref, tolerance = 1e-8)
  }
})

test_that("the figures of a class of three points", {
  x <- rbind(c(0, 0), c(1, 0), c(0, 1), c(9, 9), c(9, 8))
  y <- factor(c("a", "a", "a", "b", "b"))
  z <- matrix(0.5, 1, 2)
  to_a <- function(...) {
    flexkern:::kos_distance(kos(x, y, gamma = 1, scale = FALSE, ...), z,
                            list(threads = 1, memory = 1e9, verbose = FALSE))$distance[1]
  }
  m <- kos(x, y, gamma = 1, scale = FALSE, energy = 1)
  expect_equal(m$spectrum[[1]], c(1.592309878, 0.8646647168, 0.5430254052), tolerance = 1e-9)
  expect_equal(to_a(rank = 2), 0.314544218, tolerance = 1e-8)
  expect_equal(to_a(energy = 1), 0.2921137557, tolerance = 1e-8)
})

test_that("a single row: its line, or itself", {
  x <- cbind(c(0, 1, 5))
  y <- factor(c("a", "b", "b"))
  k <- exp(-0.5 * 0.3^2)
  distance <- function(centered) {
    m <- kos(x, y, gamma = 0.5, centered = centered, scale = FALSE)
    options <- list(threads = 1, memory = 1e9, verbose = FALSE)
    flexkern:::kos_distance(m, matrix(0.3), options)$distance[1]
  }
  expect_equal(distance(FALSE), 1 - k^2)
  expect_equal(distance(TRUE), 2 - 2 * k)
})

test_that("the rank is the smallest that holds the energy", {
  m <- kos(Species ~ ., iris, energy = 0.95)
  for (i in 1:3) {
    share <- cumsum(m$spectrum[[i]]) / sum(m$spectrum[[i]])
    expect_identical(m$subspaces$rank[i], which(share >= 0.95)[1])
    expect_equal(m$subspaces$energy[i], share[m$subspaces$rank[i]])
  }
  full <- kos(Species ~ ., iris, energy = 1)
  expect_lt(max(full$residuals), 1)
  expect_identical(kos(Species ~ ., iris, rank = 3)$subspaces$rank, rep(3L, 3))
})

test_that("the width comes from gamma_dmm() with its scaling, or by name", {
  expect_identical(kos(Species ~ ., iris)$gamma, gamma_dmm(Species ~ ., iris)$gamma)
  g <- gamma_dmm(Species ~ ., iris, scale = "standardize")
  m <- kos(Species ~ ., iris, gamma = g)
  expect_identical(m$scaling, g$scaling)
  by_number <- kos(Species ~ ., iris, gamma = g$gamma, scale = "standardize")
  expect_identical(predict(m, iris, "decision"), predict(by_number, iris, "decision"))
  expect_identical(kos(Species ~ ., iris, gamma = "median")$gamma,
                   gamma_median(iris[1:4], scale = "range"))
})

test_that("large classes are cut into nearly equal compact parts that cover them", {
  m <- kos(Species ~ ., iris, max.class = 15)
  expect_identical(nrow(m$subspaces), 12L)
  expect_true(all(m$subspaces$size %in% 12:13))
  expect_identical(sort(m$index), 1:150)
  parts <- split(m$index, rep(seq_len(12), m$subspaces$size))
  for (i in seq_along(parts)) {
    expect_identical(unique(as.character(iris$Species[parts[[i]]])),
                     as.character(m$subspaces$class[i]))
  }
  spread <- function(i) sum(apply(iris[i, 1:4], 2, var))
  whole <- vapply(split(1:150, iris$Species), spread, 0)
  expect_lt(mean(vapply(parts, spread, 0)), mean(whole))
  expect_lt(mean(m$residuals), 0.1)
  # the nearest part decides
  one <- kos(Species ~ ., iris[m$index[1:13], ] |> rbind(iris[51:150, ]), gamma = m$gamma)
  expect_s3_class(one, "kos")
})

test_that("cross-validation leaves each fold out", {
  m <- kos(y ~ ., d, gamma = 1, folds = 4, seed = 9)
  fold <- flexkern:::fk_folds(as.integer(d$y), 4, 9)
  wrong <- unlist(lapply(1:4, function(v) {
    part <- kos(y ~ ., d[fold != v, ], gamma = 1, scale = FALSE)
    scaled <- flexkern:::apply_scaling(as.matrix(d[-1]), m$scaling)
    part <- kos(scaled[fold != v, ], d$y[fold != v], gamma = 1, scale = FALSE)
    predict(part, scaled[fold == v, ]) != d$y[fold == v]
  }))
  expect_equal(m$cv.error, mean(wrong))
})

test_that("where nothing tells the classes apart, probabilities are the class frequencies", {
  z <- factor(rep(c("n", "p"), c(28, 2)))
  expect_warning(m <- kos(cbind(a = rep(0:1, 15)), z, gamma = 1, probability = TRUE, seed = 1),
                 "class frequencies")
  p <- predict(m, cbind(a = 0:1), type = "prob")
  expect_identical(as.character(predict(m, cbind(a = 0:1))), c("n", "n"))
  expect_equal(p, cbind(n = rep(28 / 30, 2), p = 2 / 30))
})

test_that("a rank can be chosen by cross-validation, also beyond what a fold's class has", {
  validated <- function(rank) kos(y ~ ., d, gamma = 1, rank = rank, folds = 4, seed = 3)$cv.error
  expect_true(all(is.finite(vapply(c(1, 3, 8), validated, 0))))
  all_rows <- kos(y ~ ., d, gamma = 1, rank = 20, folds = 4, seed = 3)
  expect_identical(all_rows$subspaces$rank, c(20L, 20L))
  expect_true(is.finite(all_rows$cv.error))
})

test_that("letters-like data: as good as a tuned machine", {
  skip_on_cran()
  skip_if_not_installed("mlbench")
  satellite <- get_mlbench("Satellite")
  set.seed(1)
  train <- sample(nrow(satellite), 1500)
  test <- sample(setdiff(seq_len(nrow(satellite)), train), 1000)
  m <- kos(classes ~ ., satellite[train, ])
  expect_lt(mean(predict(m, satellite[test, ]) != satellite$classes[test]), 0.15)
})

test_that("wrong calls are errors in these words", {
  X <- d[-1]
  fit <- kos(y ~ ., d, gamma = 1)
  damaged <- fit
  damaged$offset <- c(0L, 1L)
  sparse <- Matrix::Matrix(as.matrix(X), sparse = TRUE)
  expect_refusals(alist(
    kos(), kos(X), kos(X, 1:40 / 3), kos(X, factor(rep("a", 40))), kos(X, d$y, gamma = NULL),
    kos(X, d$y, gamma = c(1, 2)), kos(X, d$y, gamma = -1), kos(X, d$y, energy = 0),
    kos(X, d$y, energy = 1.5), kos(X, d$y, rank = 0), kos(X, d$y, rank = 21),
    kos(X, d$y, rank = 5, max.class = 4), kos(X, d$y, max.class = 1), kos(X, d$y, centered = NA),
    kos(X, d$y, folds = 1), kos(X, d$y, folds = 41), kos(X, d$y, type = "regression"),
    kos(X, d$y, memory = 1), kos(X, d$y, lambda = 1),
    kos(sparse, d$y, memory = 100),
    kos(flexkern:::mold_formula(y ~ ., d, NULL, NULL, na.fail), weights = 1),
    predict(fit, d, type = "prob"), predict(fit, d["a"]), predict(damaged, d),
    predict(fit, type = "decision"), predict(fit, d, memory = 1), formula(kos(X, d$y, gamma = 1))
  ))
})

test_that("printing and plotting", {
  m <- kos(Species ~ ., iris)
  expect_snapshot(print(m))
  pdf(NULL)
  on.exit(dev.off())
  expect_identical(withVisible(plot(m)), list(value = m, visible = FALSE))
  expect_no_error(plot(kos(cbind(c(0, 1, 5)), factor(c(1, 2, 2)), gamma = 1, centered = TRUE)))
  expect_named(summary(m)$subspaces, c("class", "size", "rank", "energy"))
})
