# Reduced multiple empirical kernel learning against naive R: bases, maps, updates, folds.

pair <- subset(iris, Species != "setosa")
pair$Species <- droplevels(pair$Species)
rownames(pair) <- NULL
X <- as.matrix(pair[1:4])
sign <- ifelse(pair$Species == "virginica", 1, -1)

quick <- function(..., c = 0.25, lambda = 2) rmekl(..., c = c, lambda = lambda, scale = FALSE)

decision <- function(m, x = pair) unname(predict(m, x, type = "decision")[, 1])

# The orthonormal coordinates of the training rows in one view: a model on it alone is linear there.
view_rank <- function(x, basis, kernel, ...) {
  y <- factor(rep(1:2, length.out = nrow(x)))
  m <- rmekl(unname(x), y, kernels = kernel, c = 1, basis = basis, scale = FALSE,
             multiclass = "ovr", ...)
  m$views$rank
}

test_that("elimination finds the columns that naive elimination finds", {
  m <- quick(X, pair$Species, kernels = function(a, b) a %*% t(b), lambda = NULL)
  expect_identical(m$index, ref_eliminate(tcrossprod(X)))
  set.seed(1)
  for (n in c(3, 20, 70)) {
    A <- matrix(rnorm(n * 5), n)[, c(1, 2, 2, 3, 4, 5)]
    m <- quick(A, factor(rep(1:2, length.out = n)), kernels = "linear", lambda = NULL)
    S <- ref_eliminate(tcrossprod(A))
    expect_identical(m$index, S)
    expect_identical(m$views$rank, length(S))
  }
})

test_that("ranks that algebra or the paper fix come out: iris, a factorial, equal rows", {
  iris4 <- as.matrix(iris[1:4])
  factorial <- as.matrix(expand.grid(1:5, 1:5, 1:5, 1:5))
  for (x in list(iris4, factorial)) {
    expect_identical(view_rank(x, "elimination", "linear"), 4L)
    expect_identical(view_rank(x, "elimination", "polynomial"), 15L)
    expect_identical(view_rank(x, "cholesky", "polynomial", tol = 1e-12), 15L)
    expect_identical(view_rank(x, "full", "polynomial", tol = 1e-12), 15L)
  }
  expect_identical(view_rank(iris4, "elimination", "radial"), 149L)
  twice <- rbind(iris4[1:30, ], iris4[1:30, ])
  distinct <- nrow(unique(twice))
  for (basis in c("elimination", "cholesky", "full")) {
    expect_identical(view_rank(twice, basis, "radial", rbf.scale = "sigma", seed = 1), distinct)
  }
  # Random descending stops short where equal rows meet, and finds any set of rows alone.
  expect_lt(view_rank(twice, "random", "radial", rbf.scale = "sigma", seed = 1), distinct)
  expect_identical(view_rank(unique(twice), "random", "radial", rbf.scale = "sigma", seed = 1),
                   distinct)
  expect_identical(view_rank(twice, "cholesky", "radial", max.rank = 7), 7L)
  expect_lt(view_rank(iris4, "cholesky", "radial", tol = 1e-3),
            view_rank(iris4, "cholesky", "radial", tol = 1e-6))
})

test_that("the machines are those of the naive updates, whatever the basis", {
  K <- ref_views(X)
  maps <- lapply(K, function(K) ref_map(K, ref_eliminate(K)))
  for (map in seq_along(K)) {
    expect_lt(max(abs(tcrossprod(maps[[map]]) - K[[map]])), 1e-8 * max(abs(K[[map]])))
  }
  for (xi in c(1e-3, 1e-6)) {
    ref <- ref_mhks(maps, sign, 0.25, 2, xi = xi)
    for (basis in c("elimination", "cholesky", "random", "full")) {
      m <- quick(X, pair$Species, basis = basis, xi = xi, seed = 1)
      if (basis != "random") {
        expect_equal(m$objective[[1]], ref$objective, tolerance = 1e-6)
        expect_equal(decision(m), ref$decision, tolerance = 1e-5)
      }
    }
  }
})

test_that("every variant of the updates is the naive one", {
  K <- ref_views(X)[c(1, 3)]
  maps <- lapply(K, function(K) ref_map(K, ref_eliminate(K)))
  two <- c("linear", "polynomial")
  ref <- ref_mhks(maps, sign, 0.25, 2, exact = TRUE)
  m <- quick(X, pair$Species, two, b.update = "exact")
  expect_equal(m$objective[[1]], ref$objective, tolerance = 1e-6)
  ref <- ref_mhks(maps, sign, 0.25, 2, sequential = TRUE)
  m <- quick(X, pair$Species, two, w.update = "sequential")
  expect_equal(m$objective[[1]], ref$objective, tolerance = 1e-6)
  ref <- ref_mhks(maps, sign, 0.25, 2, absolute = TRUE, rho = 0.5, start = 0.1)
  m <- quick(X, pair$Species, two, criterion = "absolute", rho = 0.5, b.start = 0.1)
  expect_equal(m$objective[[1]], ref$objective, tolerance = 1e-6)
})

test_that("an update is where the gradient of the objective vanishes", {
  maps <- lapply(ref_views(X[1:40 * 2, ])[c(1, 3)], function(K) ref_map(K, ref_eliminate(K)))
  r <- ref_mhks(maps, sign[1:40 * 2], 0.5, 3, iterations = 4)
  for (l in 1:2) {
    w <- r$w
    w[[l]] <- r$update(l, w)
    at <- function(j, h) {
      w[[l]][j] <- w[[l]][j] + h
      ref_objective(r$Y, w, r$b, 0.5, 3)
    }
    h <- 1e-4 * max(abs(w[[l]]))
    gradient <- vapply(seq_along(w[[l]]), function(j) (at(j, h) - at(j, -h)) / (2 * h), 0)
    expect_lt(max(abs(gradient)), 1e-5 * at(1, 0))
  }
})

test_that("the objective never rises", {
  set.seed(2)
  for (i in 1:12) {
    d <- two_classes(60, i)
    m <- rmekl(y ~ ., d, c = 2^runif(1, -4, 4), lambda = 2^runif(1, -6, 8), xi = 1e-9,
               max.iter = 1000, b.update = c("ho-kashyap", "exact")[1 + i %% 2],
               w.update = c("simultaneous", "sequential")[1 + i %/% 2 %% 2])
    trace <- m$objective[[1]]
    expect_lte(max(diff(trace)), 1e-9 * trace[1])
  }
})

test_that("D: golden values of MHKS after five iterations", {
  x <- rbind(c(2, 1), c(.5, 1.5), c(-1, -.5), c(.2, -2))
  y <- factor(c("p", "p", "m", "m"))
  expect_warning(m <- mhks(x, y, c = 0.5, scale = FALSE, xi = 0, max.iter = 5), "did not converge")
  expect_equal(unname(coef(m)[, 1]), c(0.416875884, 0.5489454155, -0.1696807327),
               tolerance = 1e-9)
})

test_that("KMHKS is the linear system in the kernel's coefficients", {
  m <- kmhks(X, pair$Species, c = 0.5, scale = FALSE, xi = 0, max.iter = 30) |>
    suppressWarnings()
  K <- ref_views(X)[[2]]
  n <- nrow(K)
  b <- rep(1e-6, n)
  for (k in 1:30) {
    a <- solve(rbind(cbind(K + 0.5 * diag(n), 1), c(rep(1, n), 0)), c(sign * (1 + b), 0))
    f <- drop(K %*% a[1:n]) + a[n + 1]
    e <- sign * f - 1 - b
    if (k < 30) b <- b + 0.99 * (e + abs(e))
  }
  expect_equal(decision(m), f, tolerance = 1e-7)
})

test_that("cross-validation refits without each fold, and picks the least loss", {
  m <- rmekl(Species ~ ., pair, kernels = c("linear", "polynomial"), c = c(0.1, 4),
             lambda = c(0.5, 8), scale = FALSE, seed = 3)
  K <- ref_views(X)[c(1, 3)]
  maps <- lapply(K, function(K) ref_map(K, ref_eliminate(K)))
  grid <- m$grid[[1]]
  held <- function(c, lambda) {
    f <- numeric(100)
    for (v in 1:5) {
      train <- m$fold != v
      r <- ref_mhks(lapply(maps, function(P) P[train, ]), sign[train], c, lambda)
      value <- Map(function(P, w) drop(cbind(P, 1) %*% w), maps, r$w)
      f[!train] <- (Reduce(`+`, value) / 2)[!train]
    }
    f
  }
  for (i in 1:2) for (j in 1:2) {
    f <- held(grid$c[i], grid$lambda[j])
    expect_equal(grid$error[i, j], mean((f > 0) != (sign > 0)))
    expect_equal(grid$loss[i, j], mean((1 - sign * pmax(pmin(f, 1), -1))^2), tolerance = 1e-5)
  }
  best <- which.min(t(grid$loss))
  expect_equal(m$machines$c, rep(grid$c, each = 2)[best])
  expect_equal(m$machines$lambda, rep(grid$lambda, 2)[best])
  expect_equal(m$cv.error, t(grid$error)[best])
})

test_that("between pairs the least held-out loss decides, not the fewest errors", {
  chosen <- vapply(1:8, function(seed) {
    d <- two_classes(60, seed)
    m <- rmekl(y ~ ., d, c = 2^(-4:4), lambda = c(0.5, 8), seed = seed)
    grid <- m$grid[[1]]
    at <- cbind(match(m$machines$c, grid$c), match(m$machines$lambda, grid$lambda))
    expect_equal(grid$loss[at], min(grid$loss))
    expect_equal(m$cv.error, grid$error[at])
    grid$error[at] == min(grid$error)
  }, NA)
  expect_false(all(chosen))
})

test_that("a weight is a repeated row, with c in the unit of the mean weight", {
  w <- rep(1:3, length.out = 100)
  rows <- rep(1:100, w)
  kernels <- list("linear", list(kernel = "radial", gamma = 0.2))
  a <- rmekl(X, pair$Species, kernels, c = 0.3, lambda = 1, weights = w, scale = FALSE, xi = 1e-9)
  b <- rmekl(X[rows, ], pair$Species[rows], kernels, c = 0.3 * mean(w), lambda = 1, scale = FALSE,
             xi = 1e-9)
  expect_equal(decision(a), decision(b), tolerance = 1e-4)
})

test_that("several classes: votes, ties by the sum of values, one against the rest", {
  m <- rmekl(Species ~ ., iris, c = 0.1, lambda = 1)
  pairs <- predict(m, iris, type = "pairs")
  expect_identical(colnames(pairs),
                   c("versicolor/setosa", "virginica/setosa", "virginica/versicolor"))
  for (k in 1:3) {
    two <- droplevels(iris[as.integer(iris$Species) != 4 - k, ])
    alone <- rmekl(Species ~ ., two, c = 0.1, lambda = 1, scale = FALSE)
    raw <- rmekl(Species ~ ., iris, c = 0.1, lambda = 1, scale = FALSE)
    expect_equal(predict(raw, iris, type = "pairs")[, k], decision(alone, iris))
  }
  expect_equal(rowSums(predict(m, iris, type = "votes")), rep(1, 150))
  circle <- list(classes = c("a", "b", "c"), pairing = "ovo",
                 machines = data.frame(positive = c(2, 3, 3), negative = c(1, 1, 2)))
  scores <- mekl_scores(circle, rbind(c(1, -1, 3), c(1, -2, 1), c(1, 0, 1)))
  expect_identical(max.col(scores), c(3L, 1L, 3L))
  rest <- rmekl(Species ~ ., iris, c = 0.1, lambda = 1, multiclass = "ovr")
  expect_identical(colnames(predict(rest, iris, type = "decision")), levels(iris$Species))
  expect_lt(mean(predict(rest, iris) != iris$Species), 0.06)
  one <- rmekl(iris[1:4], factor(iris$Species == "virginica"), c = 0.1, lambda = 1)
  expect_equal(predict(rest, iris, type = "decision")[, "virginica"], decision(one, iris[1:4]),
               tolerance = 1e-6)
})

test_that("views may see some columns, and be functions of the user", {
  own <- function(a, b) exp(-0.3 * outer(rowSums(a^2), rowSums(b^2), "+") + 0.6 * a %*% t(b))
  a <- quick(X, pair$Species, list("linear", list(kernel = "radial", gamma = 0.3)))
  b <- quick(X, pair$Species, list("linear", own))
  expect_equal(decision(b), decision(a), tolerance = 1e-5)
  expect_identical(fitted(b), predict(b, pair))
  by <- list(list(kernel = "linear", columns = 1:2),
             list(kernel = "linear", columns = c("Petal.Length", "Petal.Width")))
  m <- quick(X, pair$Species, by)
  expect_identical(m$views$rank, c(2L, 2L))
  maps <- list(ref_map(tcrossprod(X[, 1:2]), 1:2), ref_map(tcrossprod(X[, 3:4]), 1:2))
  expect_equal(decision(m), ref_mhks(maps, sign, 0.25, 2)$decision, tolerance = 1e-5)
})

test_that("a larger tolerance or a bound on the rank makes a smaller model", {
  full <- quick(X, pair$Species, basis = "full")
  exact <- quick(X, pair$Species, basis = "cholesky")
  small <- quick(X, pair$Species, basis = "cholesky", max.rank = 5)
  expect_lte(max(small$views$size), 5L)
  expect_lt(object.size(small), object.size(full))
  expect_lte(object.size(exact), object.size(full))
  expect_lt(mean(predict(small, pair) != pair$Species), 0.1)
  expect_identical(nrow(small$sv), length(small$index))
})

test_that("threads, blocks and processes change no bit", {
  d <- two_classes(200)
  fit <- function(threads) rmekl(y ~ ., d, c = c(0.1, 1), lambda = 1, seed = 1, threads = threads)
  one <- fit(1)
  two <- fit(2)
  parts <- c("coef", "intercept", "grid", "objective", "index")
  expect_identical(one[parts], two[parts])
  many <- quick(Species ~ ., iris, multiclass = "ovr", basis = "cholesky", threads = 1)
  again <- quick(Species ~ ., iris, multiclass = "ovr", basis = "cholesky", threads = 2)
  expect_identical(many[parts], again[parts])
})

test_that("kernels that are not positive semi-definite: a warning, or an error for Cholesky", {
  indefinite <- function(a, b) a[, 1] %*% t(b[, 1]) - a[, 2] %*% t(b[, 2])
  fit <- function(basis) quick(X, pair$Species, list("linear", indefinite), basis = basis)
  for (basis in c("elimination", "full")) {
    expect_warning(m <- fit(basis), "Kernel 2 is not positive semi-definite")
    expect_true(all(is.finite(decision(m))))
  }
  expect_flexkern_error(fit("cholesky"), "Kernel 2 is not positive semi-definite")
  expect_flexkern_error(svm2k(X, pair$Species, list("linear", indefinite), cost = 1, D = 1,
                              scale = FALSE), "not positive semi-definite")
})

test_that("views of rank 0 are left out with a warning, and refused where no view is left", {
  zero <- cbind(X, none = 0)
  kernels <- list("linear", list(kernel = "linear", columns = "none"))
  for (basis in c("elimination", "cholesky", "full")) {
    expect_warning(m <- quick(zero, pair$Species, kernels, basis = basis),
                   "Kernel 2 .linear. has rank 0 for 1 of 1")
    linear <- quick(X, pair$Species, "linear", lambda = NULL)
    expect_equal(decision(m, zero), decision(linear), tolerance = 1e-6)
  }
  expect_flexkern_error(quick(zero, pair$Species, kernels[2], lambda = NULL),
                        "Every kernel has rank 0")
})

test_that("plots of the objective and of the maps", {
  m <- rmekl(Species ~ ., iris, c = 0.1, lambda = 1)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(m), m)
  expect_identical(plot(m, "map", machine = 2), m)
  expect_identical(plot(m, "map", newdata = iris), m)
  # The two coordinates are those of an orthonormal map: their products lie below the kernel's.
  at <- map_coordinates(m, 1, m$sv)
  k <- plain_kernel(m$kernels[[1]], m$sv, m$sv)
  expect_true(all(rowSums(at^2) <= diag(k) * (1 + 1e-8)))
})

test_that("summaries count ranks, basis rows and iterations", {
  m <- rmekl(Species ~ ., iris, c = 0.1, lambda = 1)
  s <- summary(m)
  expect_identical(dim(s$kernels), c(9L, 5L))
  expect_identical(s$machines$iterations, lengths(m$objective))
  expect_equal(s$machines$objective, vapply(m$objective, tail, 0, 1))
  k <- coef(m)
  expect_identical(vapply(k$kernels, nrow, 1L), m$views$size)
  linear <- mhks(Species ~ ., iris, c = 0.1, scale = FALSE)
  by_hand <- cbind(as.matrix(iris[1:4]), 1) %*% coef(linear)
  expect_equal(predict(linear, iris, type = "pairs"), by_hand, ignore_attr = TRUE)
})
