# SVM-2K against a dense quadratic program and against its optimality conditions.

tiny <- function(n, seed) {
  set.seed(seed)
  x <- matrix(rnorm(2 * n), n)
  list(x = x, y = factor(ifelse(x[, 1] + x[, 2]^2 + rnorm(n, sd = 0.3) > 0.5, "b", "a")))
}

# The values and the squared norm of both machines; their mean is the decision.
svm2k_parts <- function(m, x) {
  parts <- lapply(1:2, function(v) {
    rows <- m$sv[m$position[[v]], ]
    kernel <- m$kernels[[v]]
    kernel$gamma <- m$views$gamma[v]
    coef <- 2 * m$coef[[v]][, 1]
    list(f = drop((plain_kernel(kernel, x, rows) + 1) %*% coef),
         square = sum(coef * ((plain_kernel(kernel, rows, rows) + 1) %*% coef)))
  })
  list(values = sapply(parts, `[[`, "f"), square = sapply(parts, `[[`, "square"))
}

kernels <- list("linear", list(kernel = "radial", gamma = 0.5))

test_that("the dual is solved: a dense quadratic program finds the same", {
  for (seed in 1:4) for (epsilon in c(0, 0.2)) {
    d <- tiny(25, seed)
    cost <- c(0.5, 5)[1 + seed %% 2]
    m <- svm2k(d$x, d$y, kernels, cost = cost, D = 0.8, epsilon = epsilon, xi = 1e-7,
               scale = FALSE)
    sign <- ifelse(d$y == "b", 1, -1)
    ref <- ref_svm2k(tcrossprod(d$x), exp(-0.5 * as.matrix(dist(d$x))^2), sign, cost, 0.8, epsilon)
    expect_equal(m$machines$objective, ref$objective, tolerance = 1e-3)
    expect_equal(predict(m, d$x, type = "decision")[, 1], ref$decision, tolerance = 2e-2,
                 ignore_attr = TRUE)
  }
})

test_that("without disagreement to pay for, the views are two machines of their own", {
  d <- tiny(40, 5)
  loose <- svm2k(d$x, d$y, kernels, cost = 1, D = 1e-6, xi = 1e-6, scale = FALSE)
  # Each view alone is a view twice.
  alone <- lapply(kernels, function(k) {
    svm2k(d$x, d$y, list(k, k), cost = 1, D = 1e-6, xi = 1e-6, scale = FALSE)
  })
  both <- lapply(alone, function(m) predict(m, d$x, type = "decision"))
  expect_equal(predict(loose, d$x, type = "decision"), (both[[1]] + both[[2]]) / 2,
               tolerance = 1e-3)
})

test_that("the gap closes in few iterations, whatever the size of the columns and the penalties", {
  d <- tiny(80, 6)
  for (size in c(1, 1000)) for (cost in c(1 / 16, 16)) for (D in c(1 / 16, 16)) {
    m <- svm2k(size * d$x, d$y, cost = cost, D = D, scale = FALSE)
    expect_true(m$machines$converged)
    expect_lt(length(m$objective[[1]]), 30)
    f <- svm2k_parts(m, size * d$x)
    sign <- ifelse(d$y == "b", 1, -1)
    primal <- sum(f$square) / 2 + cost * sum(pmax(1 - sign * f$values, 0)) +
      D * sum(abs(f$values[, 1] - f$values[, 2]))
    expect_lte(primal - m$machines$objective, 1.001e-3 * primal)
    expect_gte(primal, m$machines$objective)
  }
})

test_that("drafts compare penalties as whole solutions do", {
  d <- tiny(120, 9)
  for (size in c(1, 1000)) {
    fit <- function(cost, D, ...) {
      svm2k(size * d$x, d$y, cost = cost, D = D, seed = 1, scale = FALSE, ...)
    }
    grid <- fit(c(1 / 16, 16), c(1 / 16, 16))$grid[[1]]$error
    whole <- outer(c(1 / 16, 16), c(1 / 16, 16), Vectorize(function(cost, D) {
      fit(cost, D, probability = TRUE)$cv.error
    }))
    expect_lte(max(abs(grid - whole)), 3 / 120)
  }
})

test_that("agreement binds the views, and weights bound the coefficients", {
  d <- tiny(60, 7)
  apart <- function(D) {
    m <- svm2k(d$x, d$y, kernels, cost = 1, D = D, scale = FALSE)
    f <- svm2k_parts(m, d$x)$values
    mean(abs(f[, 1] - f[, 2]))
  }
  expect_lt(apart(10), apart(0.01) / 2)
  w <- rep(1:2, 30)
  a <- svm2k(d$x, d$y, kernels, cost = 1, D = 1, weights = w, xi = 1e-7, scale = FALSE)
  rows <- rep(1:60, w)
  b <- svm2k(d$x[rows, ], d$y[rows], kernels, cost = 1 / mean(w), D = 1 / mean(w), xi = 1e-7,
             scale = FALSE)
  expect_equal(predict(a, d$x, type = "decision"), predict(b, d$x, type = "decision"),
               tolerance = 1e-3)
})

test_that("costs and agreement are chosen by cross-validation", {
  d <- tiny(60, 8)
  m <- svm2k(d$x, d$y, cost = c(0.01, 1), D = c(0.1, 1), seed = 1)
  expect_identical(dim(m$grid[[1]]$error), c(2L, 2L))
  grid <- m$grid[[1]]
  best <- which.min(grid$loss)
  expect_equal(m$cv.error, grid$error[best])
  expect_equal(c(m$machines$cost, m$machines$D),
               c(rep(grid$cost, 2)[best], rep(grid$D, each = 2)[best]))
  expect_true(m$machines$cost %in% c(0.01, 1) && m$machines$D %in% c(0.1, 1))
})
