# Weights count within the problem that they belong to: a pair of classes, a cell, a chunk, a fold.

three_classes <- function(n = 90, seed = 1) {
  set.seed(seed)
  y <- factor(rep(c("a", "b", "rare"), length.out = n))
  center <- cbind(a = c(0, 0), b = c(2, 0), rare = c(0, 3))[, y]
  data.frame(y, u = center[1L, ] + rnorm(n), v = center[2L, ] + rnorm(n))
}

# Two far groups of rows, which are the cells of a partition into two.
two_groups <- function(n = 120, seed = 1) {
  set.seed(seed)
  d <- data.frame(g = rep(1:2, each = n / 2), u = runif(n, -1, 1), v = runif(n, -1, 1))
  d$c <- factor(ifelse(d$u + rnorm(n, sd = 0.3) > 0, "p", "m"))
  d$t <- sin(3 * d$u) + 0.1 * rnorm(n)
  d$u <- d$u + 20 * d$g
  d
}

decisions <- function(fit, x) {
  unname(predict(fit, x, type = if (inherits(fit, "rmekl")) "pairs" else "decision"))
}

accurate <- function(...) vpsvm(..., gamma = 1, lambda = 1e-3, tol = 1e-9, clip = FALSE)

# Machines on pairs of classes at fixed parameters, solved beyond what clipping would show.
pair_fitters <- list(
  hinge = function(...) accurate(..., loss = "hinge", multiclass = "ovo"),
  squares = function(...) accurate(..., multiclass = "ovo"),
  rmekl = function(...) rmekl(..., c = 0.5, lambda = 1),
  mhks = function(...) mhks(..., c = 0.5),
  kmhks = function(...) kmhks(..., c = 0.5),
  svm2k = function(...) svm2k(..., cost = 1, D = 0.5, xi = 1e-9)
)

test_that("a class's weight leaves the machine of two other classes as it is", {
  d <- three_classes()
  for (name in names(pair_fitters)) {
    fit <- function(...) pair_fitters[[name]](d[-1], d$y, scale = FALSE, ...)
    plain <- fit()
    for (w in c(1e-4, 1000)) {
      by_class <- fit(class.weights = c(rare = w))
      by_row <- fit(weights = ifelse(d$y == "rare", w, 1))
      for (heavy in list(by_class, by_row)) {
        expect_equal(decisions(heavy, d)[, 1L], decisions(plain, d)[, 1L], tolerance = 1e-7,
                     info = name)
        expect_gt(max(abs(decisions(heavy, d)[, 2L] - decisions(plain, d)[, 2L])), 1e-3)
      }
    }
  }
})

test_that("a search is not led by the heaviest class", {
  d <- three_classes(300)
  others <- d$y != "rare"
  right <- function(loss, w) {
    fit <- vpsvm(y ~ ., d, loss = loss, multiclass = "ovo", class.weights = w, seed = 1)
    pair <- decisions(fit, d[others, ])[, 1L]
    mean((pair > 0) == (d$y[others] == "b"))
  }
  for (loss in c("least.squares", "hinge")) {
    expect_gt(right(loss, c(rare = 1000)), right(loss, NULL) - 0.03)
  }
})

test_that("what all rows of a cell weigh does not count", {
  d <- two_groups()
  x <- as.matrix(d[c("u", "v")])
  w <- ifelse(d$g == 1, 1e-4, 1)
  machines <- list(
    list(y = d$c), list(y = d$c, loss = "hinge"), list(y = d$t),
    list(y = d$t, loss = "epsilon"), list(y = d$t, loss = "pinball", tau = c(0.2, 0.8)),
    list(y = d$t, loss = "expectile", tau = 0.3)
  )
  ways <- list(list(), list(folds = 3), list(final = "refit", folds = 3),
               list(folds = 3, validation = "split"))
  for (machine in machines) for (way in ways) {
    fit <- function(w) {
      do.call(vpsvm, c(list(x, weights = w, cells = 2, gamma = 3, lambda = 0.1, tol = 1e-7,
                            clip = FALSE, scale = FALSE, seed = 1), machine, way))
    }
    plain <- fit(NULL)
    expect_identical(plain$cell.size, c(60L, 60L))
    # The width of the tube is in standard deviations of the weighted response.
    if (identical(machine$loss, "epsilon")) machine$epsilon <- 0
    expect_equal(decisions(fit(w), x), decisions(fit(NULL), x), tolerance = 1e-6)
  }
  fit <- vpsvm(x, d$t, weights = w, cells = 2, scale = FALSE, seed = 1)
  rmse <- function(fit, g) sqrt(mean((d$t - predict(fit, x))[d$g == g]^2))
  plain <- vpsvm(x, d$t, cells = 2, scale = FALSE, seed = 1)
  expect_lt(abs(rmse(fit, 1) - rmse(plain, 1)), 1e-3)
  expect_equal(fit$gamma, plain$gamma)
  expect_equal(fit$lambda, plain$lambda)
})

test_that("heavy rows are repeated rows within cells and pairs", {
  d <- two_groups()
  d$k <- factor(ifelse(d$v < -0.3, "x", ifelse(d$v < 0.3, "y", "z")))
  d$c <- interaction(d$c, d$k, drop = TRUE)
  set.seed(3)
  w <- sample(3, nrow(d), TRUE) * ifelse(d$g == 1, 1, 4)
  again <- rep(seq_len(nrow(d)), w)
  x <- as.matrix(d[c("u", "v")])
  machines <- list(
    list("c", multiclass = "ovo"), list("c", loss = "hinge", multiclass = "ovo"),
    list("c", loss = "hinge"), list("c"), list("t"), list("t", loss = "pinball", tau = 0.3),
    list("t", loss = "expectile", tau = 0.3), list("t", loss = "epsilon", epsilon = 0.05)
  )
  for (machine in machines) {
    y <- d[[machine[[1L]]]]
    fit <- function(rows, w = NULL) {
      do.call(vpsvm, c(list(x[rows, ], y[rows], weights = w, cells = 2, gamma = 3, lambda = 0.1,
                            tol = if (identical(machine$loss, "expectile")) 1e-7 else 1e-8,
                            clip = FALSE, scale = FALSE, seed = 1), machine[-1L]))
    }
    expect_equal(decisions(fit(seq_along(w), w), x), decisions(fit(again), x),
                 tolerance = if (identical(machine$loss, "expectile")) 1e-4 else 1e-6)
  }
})

test_that("heavy rows are repeated rows in coupled machines, with c in the unit of a pair's mean", {
  d <- three_classes(60)
  set.seed(3)
  w <- sample(3, 60, TRUE)
  w[d$y == "rare"] <- 2 * w[d$y == "rare"]
  again <- rep(1:60, w)
  two <- d$y != "rare"
  mean_weight <- mean(w[two])
  wide <- list(kernel = "radial", gamma = 1)
  both <- list("linear", wide)
  fitters <- list(
    function(..., c) mhks(..., c = c),
    function(..., c) kmhks(..., c = c, kernel = wide),
    function(..., c) rmekl(..., c = c, lambda = 1, kernels = both)
  )
  for (fit in fitters) {
    weighted <- fit(d[-1], d$y, weights = w, c = 0.3, scale = FALSE, xi = 1e-10, max.iter = 5000)
    repeated <- fit(d[again, -1], d$y[again], c = 0.3 * mean_weight, scale = FALSE, xi = 1e-10,
                    max.iter = 5000)
    expect_equal(decisions(weighted, d)[, 1L], decisions(repeated, d)[, 1L], tolerance = 1e-6)
  }
  weighted <- svm2k(d[-1], d$y, weights = w, cost = 1, D = 0.5, kernels = both, scale = FALSE,
                    xi = 1e-10)
  repeated <- svm2k(d[again, -1], d$y[again], cost = 1 / mean_weight, D = 0.5 / mean_weight,
                    kernels = both, scale = FALSE, xi = 1e-10)
  expect_equal(decisions(weighted, d)[, 1L], decisions(repeated, d)[, 1L], tolerance = 1e-4)
})

test_that("a fold's loss is a weighted mean over its own rows", {
  d <- two_groups(80)
  x <- as.matrix(d[c("u", "v")])
  train <- 1:41
  w <- c(rep(0.01, 41), rep(5, 39)) * rep(1:2, 40)
  for (loss in c("least.squares", "hinge")) {
    fit <- function(rows, ...) {
      vpsvm(x[rows, ], d$c[rows], weights = w[rows], loss = loss, gamma = 1, lambda = 1e-3,
            scale = FALSE, clip = FALSE, tol = 1e-9, ...)
    }
    halved <- fit(1:80, folds = 2, validation = "split", final = "average")
    expect_equal(decisions(halved, x), decisions(fit(train), x), tolerance = 1e-6)
  }
})

test_that("equal weights change no bit, whatever their size", {
  d <- three_classes(60)
  for (w in c(0.1, 1 / 3, 7, 1e-12)) {
    for (fit in pair_fitters[c("hinge", "squares", "rmekl")]) {
      expect_identical(decisions(fit(d[-1], d$y, weights = rep(w, 60)), d),
                       decisions(fit(d[-1], d$y), d))
    }
  }
})

test_that("weights that differ by many powers of ten leave a model", {
  d <- three_classes(60)
  w <- ifelse(d$y == "a", 1e-30, ifelse(d$y == "b", 1, 1e30))
  for (name in c("hinge", "squares", "rmekl", "svm2k")) {
    fit <- suppressWarnings(pair_fitters[[name]](d[-1], d$y, weights = w))
    expect_true(all(is.finite(decisions(fit, d))), info = name)
  }
})

test_that("inverse class weights count case weights", {
  d <- three_classes(75)
  set.seed(4)
  w <- sample(4, 75, TRUE) * ifelse(d$y == "b", 3, 1)
  again <- rep(1:75, w)
  counts <- tapply(w, d$y, sum)
  named <- stats::setNames(1 / as.vector(counts), names(counts))
  every <- c(pair_fitters, list(
    hgsvm = function(...) fitters$hgsvm$quick(...),
    kbp = function(...) kbp(..., bandwidths = 1, stop = "none", max.steps = 10),
    ovr = function(...) vpsvm(..., gamma = 1, lambda = 1e-3)
  ))
  for (name in names(every)) {
    fit <- every[[name]]
    inverse <- fit(d[-1], d$y, weights = w, class.weights = "inverse", scale = FALSE)
    by_name <- fit(d[-1], d$y, weights = w, class.weights = named, scale = FALSE)
    expect_equal(decisions(inverse, d), decisions(by_name, d), tolerance = 1e-6, info = name)
  }
  for (name in c("ovr", "hinge", "squares", "kbp")) {
    fit <- every[[name]]
    weighted <- fit(d[-1], d$y, weights = w, class.weights = "inverse", scale = FALSE)
    repeated <- fit(d[again, -1], d$y[again], class.weights = "inverse", scale = FALSE)
    expect_equal(decisions(weighted, d), decisions(repeated, d), tolerance = 1e-5, info = name)
  }
})

test_that("the pairs of a fit of several class weights each have their own mean", {
  d <- droplevels(three_classes()[three_classes()$y != "rare", ])
  pairs <- cbind(a = c(1, 1000), b = c(1, 1))
  together <- vpsvm(y ~ ., d, class.weights = pairs, loss = "hinge", gamma = 1, lambda = 1e-3,
                    tol = 1e-9)
  for (i in 1:2) {
    alone <- vpsvm(y ~ ., d, class.weights = pairs[i, ], loss = "hinge", gamma = 1, lambda = 1e-3,
                   tol = 1e-9)
    expect_equal(decisions(together, d)[, i], decisions(alone, d)[, 1L], tolerance = 1e-6)
  }
})
