# Prediction intervals and sets from cross-validated residuals.

internal <- function(name) getFromNamespace(name, "flexkern")
covered <- function(p, y) mean(p[, "lwr"] <= y & y <= p[, "upr"])
noisy <- function(n, seed) {
  set.seed(seed)
  x <- runif(n, -2, 2)
  data.frame(x, y = sin(2 * x) + 0.3 * rt(n, 4))
}
mixed <- function(n, seed) {
  set.seed(seed)
  y <- factor(sample(c("a", "b", "c"), n, TRUE), levels = c("a", "b", "none", "c"))
  data.frame(y, u = rnorm(n) + 1.5 * (y == "b"), v = rnorm(n) + 1.5 * (y == "c"))
}

# CV+ as it is written: order statistics of all rows' fold predictions plus and minus residuals.
naive_interval <- function(center, residual, fold, level) {
  n <- length(residual)
  each <- center[, fold, drop = FALSE]
  at <- function(values, rank) apply(values, 1, function(v) sort(v)[rank])
  rank <- ceiling(round(level * (n + 1), 8))
  cbind(lwr = at(sweep(each, 2, residual), n + 1 - rank),
        upr = at(sweep(each, 2, residual, "+"), rank))
}

test_that("the interval is that of fold models solved one by one", {
  d <- noisy(40, 1)
  new <- data.frame(x = seq(-2.5, 2.5, length.out = 23))
  fit <- vpsvm(y ~ x, d, gamma = 1, lambda = 1e-2, folds = 5, scale = FALSE, clip = FALSE,
               seed = 1, tol = 1e-10)
  ends <- range(d$y)
  target <- cbind((d$y - mean(ends)) / (diff(ends) / 2))
  k <- ref_kernel(cbind(d$x), cbind(d$x), "radial", 1) + fit$constant
  fold <- fit$cv$fold
  held_out <- ref_held_out(k, target, rep(1, 40), fold, 1e-2)
  expect_equal((fit$cv$decision - mean(ends)) / (diff(ends) / 2), held_out[, 1], tolerance = 1e-6)
  center <- vapply(1:5, function(v) {
    train <- fold != v
    a <- ref_solve(k[train, train], target[train, , drop = FALSE], rep(1, sum(train)), 1e-2)
    (ref_kernel(cbind(new$x), cbind(d$x[train]), "radial", 1) + fit$constant) %*% a
  }, numeric(23))
  center <- center * diff(ends) / 2 + mean(ends)
  for (level in c(0.5, 0.9, 0.97)) {
    p <- predict(fit, new, interval = "conformal", level = level)
    expect_equal(p[, "fit"], predict(fit, new))
    naive <- naive_interval(center, abs(d$y - fit$cv$decision), fold, level)
    expect_equal(p[, "lwr"], pmin(naive[, "lwr"], p[, "fit"]), tolerance = 1e-5)
    expect_equal(p[, "upr"], pmax(naive[, "upr"], p[, "fit"]), tolerance = 1e-5)
  }
})

test_that("without fold models the residuals are put around the prediction", {
  d <- noisy(60, 2)
  fit <- vpsvm(y ~ x, d, gamma = c(0.3, 1), lambda = 1e-2, final = "refit", seed = 1)
  expect_null(fit$fold.coef)
  p <- predict(fit, d, interval = "conformal", level = 0.8)
  half <- sort(abs(d$y - fit$cv$decision))[ceiling(0.8 * 61)]
  expect_equal(p[, "upr"] - p[, "fit"], rep(half, 60))
  expect_equal(p[, "fit"] - p[, "lwr"], rep(half, 60))
})

test_that("weights count like repeated residuals", {
  set.seed(3)
  center <- matrix(rnorm(30), 10)
  score <- round(rexp(50), 1)
  fold <- rep_len(1:2, 50)
  w <- rep_len(1:3, 50)
  ends <- function(score, fold, weights, target) {
    cv <- list(fold = fold, weights = weights)
    calibration <- internal("calibration_scores")(cv, score, 3L, 0.8)
    calibration$target <- target
    internal("upper_end")(center, calibration)
  }
  rows <- rep(1:50, w)
  for (target in c(1, 17, 60, sum(w))) {
    expect_equal(ends(score, fold, w, target), ends(score[rows], fold[rows], NULL, target))
  }
})

test_that("intervals cover about as often as they say", {
  for (args in list(list(), list(final = "refit"), list(cells = 3), list(validation = "split"))) {
    for (level in c(0.5, 0.9)) {
      got <- vapply(1:4, function(seed) {
        fit <- do.call(vpsvm, c(list(y ~ x, noisy(300, seed), gamma = c(1, 4, 16, 256),
                                     lambda = 10^-(2:5), seed = seed), args))
        new <- noisy(1000, seed + 100)
        covered(predict(fit, new, interval = "conformal", level = level), new$y)
      }, 0)
      expect_lt(abs(mean(got) - level), 0.05)
    }
  }
})

test_that("sets cover about as often as they say, and no more classes than needed", {
  new <- mixed(2000, 50)
  for (classes in list(c("a", "b"), c("a", "b", "c"))) {
    d <- mixed(600, 1)
    d <- d[d$y %in% classes, ]
    seen <- new[new$y %in% classes, ]
    fit <- vpsvm(y ~ u + v, d, gamma = c(0.1, 1), lambda = c(1e-2, 1e-3), seed = 1)
    expect_identical(is.null(fit$fold.coef), length(classes) > 2)
    size <- c()
    for (level in c(0.8, 0.9, 0.95)) {
      s <- predict(fit, seen, interval = "conformal", level = level)
      expect_identical(dimnames(s), list(NULL, levels(d$y)))
      expect_false(any(s[, setdiff(levels(d$y), classes)]))
      got <- mean(s[cbind(seq_len(nrow(s)), match(seen$y, levels(d$y)))])
      expect_gt(got, level - 0.04)
      expect_lt(got, max(level, mean(predict(fit, seen) == seen$y)) + 0.06)
      expect_true(all(s[cbind(seq_len(nrow(s)), as.integer(predict(fit, seen)))]))
      size <- c(size, mean(rowSums(s)))
    }
    expect_true(all(diff(size) > 0))
  }
})

test_that("one against one and the hinge loss have sets too", {
  d <- droplevels(mixed(300, 1))
  new <- mixed(1000, 50)
  for (multiclass in c("ovr", "ovo")) {
    fit <- vpsvm(y ~ u + v, d, gamma = 0.3, lambda = c(1e-2, 1e-3), loss = "hinge",
                 multiclass = multiclass, seed = 1)
    s <- predict(fit, new, interval = "conformal", level = 0.95)
    got <- mean(s[cbind(1:1000, match(new$y, colnames(s)))])
    expect_gt(got, 0.91)
    expect_lt(got, 0.99)
  }
})

test_that("several levels of tau: the interval between them is moved until it covers", {
  funnel <- function(n, seed) {
    set.seed(seed)
    x <- runif(n)
    data.frame(x, y = sin(6 * x) + x * rnorm(n))
  }
  d <- funnel(300, 1)
  new <- funnel(2000, 2)
  fit <- vpsvm(y ~ x, d, loss = "pinball", tau = c(0.3, 0.5, 0.7), gamma = c(1, 10),
               lambda = c(1e-2, 1e-3), seed = 1)
  p <- predict(fit, new, interval = "conformal", level = 0.8)
  expect_lt(abs(covered(p, new$y) - 0.8), 0.05)
  q <- unname(predict(fit, new))
  expect_identical(unname(p[, "fit"]), q[, 2])
  expect_equal(p[, "upr"] - q[, 3], q[, 1] - p[, "lwr"])
  expect_lt(stats::sd(p[, "upr"] - q[, 3]), 1e-10)
  width <- tapply(p[, "upr"] - p[, "lwr"], new$x > 0.5, mean)
  expect_gt(width[["TRUE"]], 1.2 * width[["FALSE"]])
  outside <- pmax(fit$cv$decision[, 1] - d$y, d$y - fit$cv$decision[, 3])
  expect_equal(unname(p[1, "upr"] - q[1, 3]), sort(outside)[ceiling(0.8 * 301)])
  expect_true(all(predict(fit, new, interval = "conformal", level = 0.1)[, 2] <= p[, "fit"]))
})

test_that("a class is in the set unless too many rows fit their own class better", {
  d <- mixed(80, 4)
  d <- droplevels(d[d$y != "c", ])
  fit <- vpsvm(y ~ u + v, d, gamma = 0.3, lambda = 1e-2, folds = 4, seed = 1)
  new <- mixed(30, 5)
  sign <- ifelse(d$y == "b", 1, -1)
  fold_values <- vapply(1:4, function(v) {
    one <- fit
    one$coef <- fit$fold.coef[, v, drop = FALSE]
    one$clip <- FALSE
    predict(one, new, type = "decision")[, 1]
  }, numeric(30))
  own <- sign * fit$cv$decision[, 1]
  better <- function(sign) {
    vapply(1:30, function(i) sum(own > sign * fold_values[i, fit$cv$fold]), 0)
  }
  for (level in c(0.6, 0.9)) {
    s <- predict(fit, new, interval = "conformal", level = level)
    label <- predict(fit, new)
    limit <- level * (nrow(d) + 1)
    expect_identical(unname(s[, "b"]), better(1) < limit | label == "b")
    expect_identical(unname(s[, "a"]), better(-1) < limit | label == "a")
  }
})

test_that("few rows: nothing is excluded, with a warning that counts", {
  d <- noisy(20, 6)
  fit <- vpsvm(y ~ x, d, gamma = 1, lambda = 0.01, folds = 5, seed = 1)
  expect_warning(p <- predict(fit, d, interval = "conformal", level = 0.99), "at least 99 .* 20")
  expect_true(all(is.infinite(p[, 2:3])))
  expect_silent(p <- predict(fit, d, interval = "conformal", level = 20 / 21))
  expect_true(all(is.finite(p)))
  tiny <- vpsvm(y ~ x, d[1:3, ], gamma = 1, lambda = 0.01, folds = 3, seed = 1)
  expect_true(all(is.finite(predict(tiny, d, interval = "conformal", level = 0.5))))
  two <- droplevels(mixed(9, 1)[c("y", "u")])
  classes <- vpsvm(y ~ u, two, gamma = 1, lambda = 0.01, folds = 3, seed = 1)
  expect_warning(s <- predict(classes, two, interval = "conformal", level = 0.95), "at least 19")
  expect_true(all(s))
})

test_that("ties and constants", {
  d <- data.frame(x = rep(1:6, 10), y = rep(c(0, 0, 1, 1, 2, 2), 10))
  fit <- vpsvm(y ~ x, d, gamma = c(1, 10), lambda = 1e-3, seed = 1)
  p <- predict(fit, d, interval = "conformal", level = 0.9)
  expect_gte(covered(p, d$y), 0.9)
  fit <- vpsvm(y ~ x, transform(d, y = 3), gamma = 1:2, lambda = 1, seed = 1)
  p <- predict(fit, d[1:2, ], interval = "conformal")
  expect_equal(unname(p), matrix(3, 2, 3))
  steps <- transform(d, y = ifelse(x > 3, y, 7))
  fit <- vpsvm(y ~ x, steps, cells = 2, gamma = 10, lambda = 1e-4, folds = 3, seed = 1)
  p <- predict(fit, steps, interval = "conformal")
  expect_gte(covered(p, steps$y), 0.9)
})

test_that("shapes: missing, one and no rows; blocks; transformed columns", {
  d <- noisy(80, 7)
  fit <- vpsvm(y ~ exp(x), d, gamma = 1:2, lambda = 0.01, seed = 1)
  p <- predict(fit, data.frame(x = c(1, NA, 0)), interval = "conformal")
  expect_identical(dim(p), c(3L, 3L))
  expect_identical(colnames(p), c("fit", "lwr", "upr"))
  expect_identical(is.na(p[, 1]), c(FALSE, TRUE, FALSE))
  expect_identical(dim(predict(fit, d[0, ], interval = "conformal")), c(0L, 3L))
  expect_identical(predict(fit, d[3, ], interval = "conformal"),
                   predict(fit, d, interval = "conformal")[3, , drop = FALSE])
  many <- d[rep(1:80, 40), ]
  expect_identical(predict(fit, many, interval = "conformal", memory = 1e5),
                   predict(fit, many, interval = "conformal"))
  expect_identical(predict(fit, d, interval = "none"), predict(fit, d))
  three <- vpsvm(Species ~ ., iris, gamma = 1:2, lambda = 0.01, seed = 1)
  expect_identical(dim(predict(three, iris[0, ], interval = "conformal")), c(0L, 3L))
  expect_true(is.logical(predict(three, iris[1, ], interval = "conformal")))
})

test_that("rows of weight 0 keep their place and have no part in intervals", {
  d <- noisy(60, 8)
  w <- rep(c(1, 0, 2), 20)
  all <- vpsvm(y ~ x, d, gamma = 1:2, lambda = 0.01, weights = w, seed = 1)
  used <- vpsvm(y ~ x, d[w > 0, ], gamma = 1:2, lambda = 0.01, weights = w[w > 0], seed = 1)
  expect_identical(lapply(all$cv, `[`, w > 0), used$cv)
  expect_true(all(is.na(all$cv$decision[w == 0])))
  expect_identical(predict(all, d, interval = "conformal"),
                   predict(used, d, interval = "conformal"))
})

test_that("the fold models average to the model", {
  d <- two_classes(120)
  fit <- vpsvm(y ~ a + b, d, gamma = 1:2, lambda = 0.01, cells = 2, seed = 1)
  expect_identical(dim(fit$fold.coef), c(120L, 5L))
  expect_equal(rowMeans(fit$fold.coef), fit$coef[, 1])
  # A fold model knows nothing of the rows that it is asked about.
  held_out <- fit$fold.coef[cbind(order(fit$index), fit$cv$fold)]
  expect_equal(held_out, rep(0, 120))
})

test_that("what intervals cannot be made of is said", {
  d <- noisy(30, 1)
  fixed <- vpsvm(y ~ x, d, gamma = 1, lambda = 0.01)
  fit <- vpsvm(y ~ x, d, gamma = 1, lambda = 0.01, folds = 5, seed = 1)
  damaged <- fit
  damaged$fold.coef <- damaged$fold.coef[1:3, ]
  expect_refusals(alist(
    predict(fixed, d, interval = "conformal"), predict(fit, interval = "conformal"),
    predict(fit, d, interval = "prediction"), predict(fit, d, interval = TRUE),
    predict(fit, d, interval = "conformal", level = 1), predict(fit, d, level = 90),
    predict(fit, d, interval = "conformal", level = c(0.5, 0.9)),
    predict(fit, d, interval = "conformal", type = "decision"),
    predict(damaged, d, interval = "conformal")
  ))
  expect_snapshot(p <- predict(fit, d[1, ], interval = "conformal", level = 0.99))
})

test_that("threads change no bit of an interval", {
  d <- noisy(700, 9)
  one <- vpsvm(y ~ x, d, gamma = c(1, 4), lambda = c(1e-2, 1e-3), seed = 1, threads = 1)
  two <- vpsvm(y ~ x, d, gamma = c(1, 4), lambda = c(1e-2, 1e-3), seed = 1, threads = 2)
  expect_identical(one$fold.coef, two$fold.coef)
  expect_identical(one$cv, two$cv)
  expect_identical(predict(one, d, interval = "conformal", threads = 1),
                   predict(two, d, interval = "conformal", threads = 2))
})
