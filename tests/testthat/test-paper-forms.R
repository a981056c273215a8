# Where a method has a form in its paper, against naive code: prefitting, the split that all cells
# share, ten widths, the unit of epsilon, first centers, free biases, roots, intercepts, signals.

# ---- kernel basis pursuit ------------------------------------------------------------------------

test_that("prefitting takes the source of the least loss after all are fitted again", {
  for (seed in 1:50) {
    set.seed(seed)
    n <- sample(c(12, 25, 40), 1)
    x <- matrix(rnorm(n * 2), n)
    y <- sin(2 * x[, 1]) + x[, 2]^2 + rnorm(n, sd = 0.3)
    widths <- c(0.3, 1, 3)
    fit <- kbp(x, y, method = "prefit", bandwidths = widths, stop = "none", max.steps = 6,
               scale = FALSE)
    K <- do.call(cbind, lapply(widths, function(s) exp(-as.matrix(dist(x))^2 / (2 * s^2))))
    Z <- ref_standardise(K)$Z
    ref <- ref_pursuit(Z, y - mean(y), "prefit", 6)
    loss <- function(beta) mean((y - mean(y) - Z %*% beta)^2)
    expect_equal(fit$path[[1]]$points$loss, apply(ref, 1, loss), tolerance = 1e-6)
    entered <- fit$path[[1]]$points$entered[-1]
    number <- fit$sources$row + n * (fit$sources$kernel - 1)
    expect_setequal(number[entered], which(ref[7, ] != 0))
  }
})

test_that("the share of cv.nu counts active sources against rows", {
  d <- cosexp_data()
  fit <- kbp(y ~ t, d, stop = "cv.nu", bound = 0.1)
  expect_identical(tail(fit$path[[1]]$points$df, 1), 10L)
})

test_that("the intercept as a source is the naive path with one more column", {
  d <- cosexp_data(40)
  d$y <- d$y + 3
  widths <- c(0.2, 0.8)
  K <- do.call(cbind, lapply(widths, function(s) exp(-as.matrix(dist(d$t))^2 / (2 * s^2))))
  Z <- cbind(ref_standardise(K)$Z, 1 / sqrt(40))
  steps <- 30
  ref <- ref_lars(Z, d$y, steps = steps)
  fit <- kbp(y ~ t, d, bandwidths = widths, stop = "none", max.steps = steps, scale = FALSE,
             intercept = "source", clip = FALSE)
  expect_equal(fit$path[[1]]$points$l1, rowSums(abs(ref)), tolerance = 1e-6)
  expect_true("intercept" %in% fit$sources$name)
  expect_equal(predict(fit, d), c(Z %*% ref[nrow(ref), ]), tolerance = 1e-8)
  expect_equal(predict(fit, d, s = 4), c(Z %*% ref[5, ]), tolerance = 1e-8)
  expect_identical(unname(rowSums(abs(coef(fit)) > 0)["intercept[1]"]), 0)
})

test_that("with the intercept as a source, rules, pursuits, classes and weights work", {
  d <- cosexp_data(60)
  source <- function(..., formula = y ~ t, data = d) {
    kbp(formula, data, ..., bandwidths = c(0.2, 0.8), intercept = "source", seed = 1)
  }
  for (method in c("lasso", "lar", "mp", "omp", "prefit")) {
    fit <- source(method = method)
    expect_true(is.finite(fit$cv.error))
    expect_lt(mean(fit$residuals^2), var(d$y))
  }
  shifted <- source(data = transform(d, y = y + 5), stop = "none")
  expect_equal(mean(fitted(shifted)), 5 + mean(d$y), tolerance = 0.02)
  fit <- source(formula = Species ~ ., data = iris)
  expect_lt(fit$cv.error, 0.1)
  expect_no_error(plot(fit))
  w <- rep(1:2, 30)
  a <- source(weights = w, stop = "none", max.steps = 8, scale = FALSE)
  b <- source(data = d[rep(1:60, w), ], stop = "none", max.steps = 8, scale = FALSE)
  expect_equal(a$path[[1]]$points$entered, b$path[[1]]$points$entered)
})

test_that("the signals are the ones of the study, with the noise that the help page says", {
  variance <- c(cosexp = NA, doppler = 0.0835, blocks = 3.65, ramp = 0.0833, heavisine = 8.82)
  for (type in names(variance)) {
    d <- kbp_artificial(type, 50000, seed = 1)
    expect_named(d, c("t", "y", "f"))
    expect_true(all(d$t >= 0 & d$t <= if (type == "cosexp") 2 else 1))
    noise <- if (type == "cosexp") 0.16 else variance[[type]]
    expect_equal(mean((d$y - d$f)^2), noise, tolerance = 0.03)
    if (type != "cosexp") expect_equal(var(d$f), variance[[type]], tolerance = 0.02)
  }
  expect_equal(kbp_artificial("ramp", t = c(0, 0.36, 0.37, 1), noise = 0)$y,
               c(0, 0.36, -0.63, 0))
  expect_equal(kbp_artificial("heavisine", t = 0.5, noise = 0)$f, 4 * sin(2 * pi) - 1 - 1)
  expect_equal(kbp_artificial("blocks", t = c(0.05, 0.12, 1), noise = 0)$f, c(0, 4, 0))
  expect_equal(kbp_artificial("cosexp", t = 1, noise = 0)$f, cos(exp(2.4)))
  expect_equal(kbp_artificial("doppler", t = 0.5, noise = 0)$f, 0.5 * sin(2.1 * pi / 0.55))
  set.seed(3)
  a <- kbp_artificial("blocks", 20)
  expect_identical(kbp_artificial("blocks", 20, seed = 3), a)
})

# ---- localized machines --------------------------------------------------------------------------

test_that("a split takes the first half of all rows, whatever the cells", {
  d <- vp_artificial("I", 90, seed = 2)
  fit <- function(...) {
    vpsvm(d["x"], d$y, scale = FALSE, cells = 3, first = 1, gamma = c(1, 10), lambda = c(0.1, 1e-3),
          validation = "split", offset = "none", ...)
  }
  m <- fit()
  expect_identical(which(is.na(m$cv$decision)), 1:46)
  for (cell in 1:3) {
    rows <- which(m$cell == cell)
    train <- rows[rows <= 46]
    alone <- vpsvm(d["x"][train, , drop = FALSE], d$y[train], scale = FALSE, gamma = m$gamma[cell],
                   lambda = m$lambda[cell], partition = "none")
    label <- function(m, f) (f - m$label[["center"]]) / m$label[["half"]]
    K <- exp(-m$gamma[cell] * outer(d$x[rows], d$x[train], "-")^2)
    y <- label(m, d$y)[train]
    a <- solve(K[match(train, rows), ] + m$lambda[cell] * length(train) * diag(length(train)), y)
    held <- rows > 46
    expect_equal(label(m, fitted(m)[rows]), pmin(pmax(drop(K %*% a), -1), 1), tolerance = 1e-4)
    risk <- mean((pmin(pmax(drop(K %*% a), -1), 1) - label(m, d$y)[rows])[held]^2)
    expect_equal(m$cv.risk[cell], risk, tolerance = 1e-4)
  }
  own <- vpsvm(d["x"], d$y, scale = FALSE, cells = 3, first = 1, gamma = c(1, 10),
               lambda = c(0.1, 1e-3), validation = "split.cells")
  for (cell in 1:3) {
    rows <- which(own$cell == cell)
    expect_identical(which(!is.na(own$cv$decision[rows])),
                     seq(length(rows) %/% 2 + 2, length(rows)))
  }
  one <- function(validation) {
    vpsvm(y ~ x, d, gamma = 1:2, lambda = 0.1, validation = validation)$coef
  }
  expect_identical(one("split"), one("split.cells"))
})

test_that("a cell without rows that train is 0", {
  x <- c(runif(20), 10 + runif(10))
  y <- c(sin(x[1:20]), 5 + x[21:30])
  expect_warning(m <- vpsvm(cbind(x), y, cells = 2, first = 1, validation = "split"),
                 "1 of 2 cells have no row among those that train")
  zero <- m$label[["center"]]
  expect_equal(unname(predict(m, cbind(x = c(10.1, 10.5)))), c(zero, zero))
  expect_equal(m$cv$decision[21:30], rep(zero, 10), ignore_attr = TRUE)
  expect_false(anyNA(predict(m, cbind(x = 0.5))))
  expect_no_warning(m <- vpsvm(cbind(x), y, cells = 2, first = 1, validation = "split",
                               final = "refit"))
  expect_true(all(is.finite(fitted(m))))
  classes <- suppressWarnings(
    vpsvm(cbind(x), factor(rep(c("a", "b"), 15)), cells = 2, first = 1, validation = "split",
          loss = "hinge")
  )
  expect_equal(predict(classes, cbind(x = 10.2), type = "decision")[1, 1], 0, ignore_attr = TRUE)
})

test_that("small cells have ten widths and ten penalties", {
  for (n in c(4, 9, 10)) {
    set.seed(n)
    m <- vpsvm(cbind(runif(n)), rnorm(n), seed = 1)
    expect_identical(dim(m$grid[[1]]$risk), c(10L, 10L))
    expect_equal(sort(m$grid[[1]]$gamma^-0.5),
                 exp(seq(log(0.5 / n), log(10), length.out = 10)))
  }
})

test_that("epsilon counts in standard deviations as sd() has them, and weights as repeated rows", {
  set.seed(4)
  x <- cbind(runif(20))
  y <- rnorm(20)
  fit <- function(x, y, ...) vpsvm(x, y, loss = "epsilon", gamma = 1, lambda = 0.01, ...)
  expect_equal(fit(x, y)$epsilon, 0.1 * sd(y))
  rows <- rep(1:20, rep(1:2, 10))
  expect_equal(fit(x, y, weights = rep(1:2, 10))$epsilon,
               fit(x[rows, , drop = FALSE], y[rows])$epsilon)
})

test_that("`first` is the first center, and leaves nothing random", {
  set.seed(5)
  x <- cbind(runif(60), runif(60))
  y <- rnorm(60)
  fit <- function(...) vpsvm(x, y, gamma = 1, lambda = 0.1, scale = FALSE, ...)
  before <- .Random.seed
  m <- fit(cells = 4, first = 7)
  expect_identical(.Random.seed, before)
  expect_true(is.na(m$seed))
  expect_equal(m$centers[1, ], x[7, ], ignore_attr = TRUE)
  far <- which.max(colSums((t(x) - x[7, ])^2))
  expect_equal(m$centers[2, ], x[far, ], ignore_attr = TRUE)
  expect_equal(fit(radius = 0.4, first = 9)$centers[1, ], x[9, ], ignore_attr = TRUE)
  weighted <- fit(cells = 4, first = 7, weights = c(0, rep(1, 59)))
  expect_equal(weighted$centers[1, ], x[7, ], ignore_attr = TRUE)
})

# ---- several kernels -----------------------------------------------------------------------------

test_that("free biases: the quadratic program with its two sums finds the same", {
  for (seed in 1:4) for (epsilon in c(0, 0.2)) {
    set.seed(seed)
    x <- matrix(rnorm(50), 25)
    y <- factor(ifelse(x[, 1] + x[, 2]^2 + rnorm(25, sd = 0.3) > 0.5, "b", "a"))
    cost <- c(0.5, 5)[1 + seed %% 2]
    m <- svm2k(x + 3, y, list("linear", list(kernel = "radial", gamma = 0.5)), cost = cost, D = 0.8,
               epsilon = epsilon, bias = "free", xi = 1e-7, scale = FALSE)
    expect_true(m$machines$converged)
    sign <- ifelse(y == "b", 1, -1)
    ref <- ref_svm2k_free(tcrossprod(x + 3), exp(-0.5 * as.matrix(dist(x))^2), sign, cost, 0.8,
                          epsilon)
    expect_equal(m$machines$objective, ref, tolerance = 2e-3)
  }
})

# The primal at the machine's weights and the biases that are best for them.
primal_free <- function(m, x, sign, cost, D, epsilon) {
  parts <- lapply(1:2, function(v) {
    rows <- m$sv[m$position[[v]], ]
    kernel <- m$kernels[[v]]
    kernel$gamma <- m$views$gamma[v]
    coef <- 2 * m$coef[[v]][, 1]
    list(f = drop(plain_kernel(kernel, x, rows) %*% coef),
         square = sum(coef * (plain_kernel(kernel, rows, rows) %*% coef)))
  })
  value <- function(apart) {
    f <- list(parts[[1]]$f + m$intercept + apart, parts[[2]]$f + m$intercept - apart)
    hinge <- function(f) sum(pmax(1 - sign * f, 0))
    (parts[[1]]$square + parts[[2]]$square) / 2 + cost * (hinge(f[[1]]) + hinge(f[[2]])) +
      D * sum(pmax(abs(f[[1]] - f[[2]]) - epsilon, 0))
  }
  optimize(value, c(-20, 20), tol = 1e-9)$objective
}

test_that("free biases: the gap between the primal and the dual value closes", {
  for (seed in 1:6) for (epsilon in c(0, 0.2)) {
    set.seed(seed)
    x <- matrix(rnorm(80), 40)
    y <- factor(ifelse(x[, 1] + x[, 2]^2 + rnorm(40, sd = 0.3) > 0.5, "b", "a"))
    cost <- c(0.5, 5, 50)[1 + seed %% 3]
    m <- svm2k(x + 3, y, list("linear", list(kernel = "radial", gamma = 0.5)), cost = cost, D = 0.8,
               epsilon = epsilon, bias = "free", xi = 1e-5, scale = FALSE)
    expect_true(m$machines$converged)
    primal <- primal_free(m, x + 3, ifelse(y == "b", 1, -1), cost, 0.8, epsilon)
    expect_gte(primal, m$machines$objective * (1 - 1e-8))
    expect_lte(primal - m$machines$objective, 1.1e-5 * primal)
    for (v in 1:2) expect_lt(abs(sum(m$coef[[v]][, 1])), 1e-6 * sum(abs(m$coef[[v]][, 1])))
  }
})

test_that("free biases follow a shift that a penalized one pays for", {
  set.seed(6)
  x <- matrix(rnorm(120), 60)
  y <- factor(ifelse(x[, 1] > 0, "b", "a"))
  fit <- function(shift, ...) {
    svm2k(x + shift, y, list("linear", "radial"), cost = 1, D = 0.5, scale = FALSE, xi = 1e-6, ...)
  }
  decision <- function(shift, ...) predict(fit(shift, ...), x + shift, type = "decision")
  expect_equal(decision(0, bias = "free"), decision(20, bias = "free"), tolerance = 1e-3)
  expect_gt(max(abs(decision(0) - decision(20))), 0.05)
  m <- svm2k(Species ~ ., iris, bias = "free", seed = 1)
  expect_lt(m$cv.error, 0.06)
  expect_true(all(m$machines$converged))
})

test_that("the symmetric root is a rotation: the machines are the same", {
  for (basis in c("elimination", "cholesky", "random")) {
    fit <- function(root) {
      rmekl(Species ~ ., iris, c = 0.25, lambda = 1, basis = basis, root = root, seed = 1,
            xi = 1e-6)
    }
    a <- fit("cholesky")
    b <- fit("symmetric")
    expect_equal(predict(b, iris, type = "pairs"), predict(a, iris, type = "pairs"),
                 tolerance = 1e-4)
    expect_identical(a$views$rank, b$views$rank)
  }
})
