# The core against the naive reference, on the same folds.

core_fit <- function(...) flexkern:::fk_vp_fit(...)

options_with <- function(...) {
  defaults <- list(
    kernel = "radial", degree = 3L, coef0 = 0, folds = 5L, validation = "cv", final = "average",
    clip = c(-1, 1), search = "full", refine = FALSE, tol = 1e-8, max_iter = 5000L, threads = 2L,
    memory = 2e9, seed = 7, verbose = FALSE, device = "auto"
  )
  utils::modifyList(defaults, list(...))
}

# Inputs with two columns, two cells, three classes, weights.
problem <- function(n = 80, classes = 3) {
  with_seed <- function(code) {
    set.seed(11)
    code
  }
  with_seed({
    x <- matrix(runif(2 * n, -1, 1), n)
    code <- rep_len(seq_len(classes), n)
    x[, 1] <- x[, 1] + 0.3 * code
    y <- if (classes == 2) cbind(2 * code - 3) else 2 * outer(code, seq_len(classes), "==") - 1
    list(x = x, y = y, w = rep(1, n), strata = code, cell = 1L + (x[, 2] > 0))
  })
}

both <- function(p, options) {
  core <- core_fit(p$x, p$y, p$w, p$strata, p$cell, options)
  naive <- ref_vp_fit(p$x, p$y, p$w, p$strata, p$cell, options, fold = core$fold)
  list(core = core, naive = naive)
}

as_model <- function(fit, x, options, ...) {
  c(fit[c("coef", "intercept", "offset", "gamma")], list(sv = x[fit$index, , drop = FALSE]),
    options[c("kernel", "degree", "coef0")], list(...))
}

expect_same_fit <- function(b, tolerance = 1e-5) {
  expect_equal(b$core$gamma, b$naive$gamma, tolerance = 1e-6)
  expect_equal(b$core$lambda, b$naive$lambda, tolerance = 1e-6)
  expect_equal(b$core$cv_risk, b$naive$cv_risk, tolerance = 1e-4)
  expect_equal(b$core$fitted, b$naive$fitted, tolerance = tolerance, ignore_attr = TRUE)
  expect_equal(b$core$cv_decision, b$naive$cv_decision, tolerance = tolerance, ignore_attr = TRUE)
  expect_true(all(b$core$converged))
}

test_that("golden value: four points, width 0.4, penalty 0.01", {
  x <- cbind(c(0, 0.2, 0.5, 1))
  y <- cbind(c(-1, 0.3, 0.8, -0.5))
  options <- options_with(gamma = 1 / 0.4^2, lambda = 0.01, folds = 0L, final = "refit",
                          clip = NULL)
  fit <- core_fit(x, y, rep(1, 4), rep(1L, 4), rep(1L, 4), options)
  expect_equal(fit$coef[order(fit$index), 1],
               c(-2.571280928, 2.08064943, 0.26149404, -0.5653430886), tolerance = 1e-6)
  model <- as_model(fit, x, options, type = "none", centers = x[0, , drop = FALSE],
                    cell_of_center = integer())
  f <- flexkern:::fk_vp_predict(matrix(0.3), model, list(threads = 1L, memory = 1e9))
  expect_equal(f[1, 1], 0.6667278584, tolerance = 1e-6)
})

test_that("golden value: farthest-first traversal", {
  x <- cbind(c(0.3, -0.9, 0.95, -0.2, 0.6, -0.6, 0.1))
  part <- flexkern:::fk_partition(x, list(type = "voronoi", radius = 0.4, first = 1L, seed = 1))
  expect_identical(part$centers, 1:4)
  expect_identical(part$cell, c(1L, 2L, 3L, 4L, 1L, 2L, 1L))
})

test_that("partitions agree with plain loops", {
  set.seed(3)
  x <- matrix(runif(3 * 400), 400)
  for (radius in c(0.2, 0.5, 2)) {
    options <- list(type = "voronoi", radius = radius, first = 5L, seed = 1)
    part <- flexkern:::fk_partition(x, options)
    naive <- ref_partition(x, options)
    expect_identical(part$centers, naive$centers)
    expect_identical(part$cell, naive$cell)
    expect_equal(part$radius, naive$radius)
    new <- matrix(runif(3 * 100), 100)
    centers <- x[part$centers, , drop = FALSE]
    expect_identical(flexkern:::fk_assign(new, centers, 2L), ref_assign(new, centers))
  }
  chunks <- flexkern:::fk_partition(x, list(type = "random", cells = 7L, seed = 1))
  expect_lte(diff(range(tabulate(chunks$cell, 7))), 1)
})

test_that("a bounded partition keeps to its bound and predicts as it assigns", {
  set.seed(4)
  x <- matrix(rnorm(2 * 1000), 1000)
  part <- flexkern:::fk_partition(x, list(type = "bounded", max_cell = 150L, min_cell = 10L,
                                          seed = 1))
  expect_lte(max(tabulate(part$cell)), 150)
  expect_true(all(tabulate(part$cell) >= 1))
  nearest <- ref_assign(x, x[part$centers, , drop = FALSE])
  expect_identical(part$cell, part$cell_of_center[nearest])
})

test_that("the error surface of the default grid is the naive one", {
  p <- problem()
  p$cell[] <- 1L
  b <- both(p, options_with())
  expect_equal(b$core$grid_gamma[[1]], b$naive$grid_gamma[[1]], tolerance = 1e-6)
  expect_equal(b$core$grid_lambda[[1]], b$naive$grid_lambda[[1]], tolerance = 1e-6)
  expect_true(all(b$core$settled[[1]]))
  near <- b$naive$risk[[1]] < 1.1 * min(b$naive$risk[[1]])
  expect_gt(sum(near), 10)
  expect_equal(min(b$core$risk[[1]]), min(b$naive$risk[[1]]), tolerance = 1e-4)
  expect_equal(b$core$risk[[1]][near], b$naive$risk[[1]][near], tolerance = 5e-3)
  expect_same_fit(b)
})

test_that("the race selects what the full search selects", {
  p <- problem()
  full <- core_fit(p$x, p$y, p$w, p$strata, p$cell, options_with())
  race <- core_fit(p$x, p$y, p$w, p$strata, p$cell, options_with(search = "race"))
  expect_equal(race$cv_risk, full$cv_risk, tolerance = 1e-2)
})

test_that("cells, classes, weights, kernels and final models agree with dense solves", {
  grid <- list(gamma = c(0.5, 2, 8), lambda = c(1e-1, 1e-2, 1e-3))
  with_grid <- function(...) do.call(options_with, utils::modifyList(grid, list(...)))
  two <- problem(classes = 2)
  three <- problem()
  expect_same_fit(both(two, with_grid()))
  expect_same_fit(both(three, with_grid()))
  expect_same_fit(both(three, with_grid(final = "refit")))
  expect_same_fit(both(three, with_grid(folds = 3L, clip = NULL)))
  weighted <- two
  weighted$w <- rep_len(c(0.5, 1.5), 80)
  expect_same_fit(both(weighted, with_grid()))
  expect_same_fit(both(two, with_grid(kernel = "polynomial", gamma = 0.5, coef0 = 1)), 1e-4)
  expect_same_fit(both(two, with_grid(kernel = "linear", gamma = 1)), 1e-4)
  expect_same_fit(both(two, options_with(gamma = c(1, 4), cost = 10)))
})

test_that("a split validates on the second half", {
  p <- problem(classes = 2)
  p$cell[] <- 1L
  options <- options_with(gamma = c(0.5, 2), lambda = c(1e-1, 1e-2), validation = "split")
  core <- core_fit(p$x, p$y, p$w, p$strata, p$cell, options)
  train <- seq_len(80 %/% 2 + 1)
  expect_true(all(is.na(core$cv_decision[train, ])))
  naive <- matrix(NA_real_, 2, 2)
  for (g in 1:2) for (l in 1:2) {
    k <- ref_kernel(p$x, p$x, "radial", options$gamma[g])
    a <- ref_solve(k[train, train], p$y[train, , drop = FALSE], p$w[train], options$lambda[l])
    f <- pmin(pmax(k[-train, train] %*% a, -1), 1)
    naive[g, l] <- mean((f - p$y[-train])^2)
  }
  expect_equal(core$risk[[1]], naive, tolerance = 1e-4)
})

test_that("prediction agrees with the naive one in all partitions", {
  p <- problem()
  options <- options_with(gamma = 2, lambda = 1e-2, folds = 0L, final = "refit")
  fit <- core_fit(p$x, p$y, p$w, p$strata, p$cell, options)
  new <- matrix(c(-0.5, 0.1, 0.9, -0.9, 0.3, 0.6), 3)
  centers <- rbind(c(0, -0.5), c(0, 0.5))
  for (type in c("voronoi", "random")) {
    at <- if (type == "voronoi") centers else centers[0, ]
    model <- as_model(fit, p$x, options, type = type, centers = at,
                      cell_of_center = seq_len(nrow(at)))
    expect_equal(flexkern:::fk_vp_predict(new, model, list(threads = 2L, memory = 1e9)),
                 ref_vp_predict(new, model), tolerance = 1e-5, ignore_attr = TRUE)
  }
})
