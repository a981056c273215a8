internal <- function(name) getFromNamespace(name, "flexkern")
calibrate <- function(f, code, weights = NULL, classes = letters[seq_len(max(code))]) {
  internal("calibrate")(f, list(code = code, classes = classes), weights, list(clip = FALSE))
}
cross_entropy <- function(f, code, a, b, target) {
  scores <- if (ncol(f) == 1) cbind(0, f) else f
  scores <- a * scores + rep(b, each = nrow(f))
  scores <- scores - apply(scores, 1, max)
  -sum(target * (scores - log(rowSums(exp(scores)))))
}
naive_targets <- function(code, K) {
  counts <- tabulate(code, K)
  t(vapply(code, function(k) {
    own <- (counts[k] + 1) / (counts[k] + 2)
    replace(rep((1 - own) / (K - 1), K), k, own)
  }, numeric(K)))
}

test_that("two classes: slope and offset are those of a logistic regression", {
  set.seed(1)
  f <- cbind(runif(3000, -1, 1))
  code <- 1L + (runif(3000) < plogis(3 * f[, 1] - 1))
  fitted <- calibrate(f, code)
  target <- ifelse(code == 2, (sum(code == 2) + 1) / (sum(code == 2) + 2),
                   1 / (sum(code == 1) + 2))
  glm <- suppressWarnings(stats::glm(target ~ f, family = stats::binomial()))
  expect_equal(c(fitted$b[2], fitted$a), unname(stats::coef(glm)), tolerance = 1e-5)
})

test_that("the safeguarded Newton iteration finds the maximum of the likelihood", {
  set.seed(2)
  for (K in c(2, 3, 6)) for (scale in c(1e-3, 1, 1e3)) {
    code <- sample(K, 90, TRUE, prob = seq_len(K))
    f <- scale * matrix(rnorm(90 * if (K == 2) 1 else K), 90)
    if (K == 2) f[, 1] <- f[, 1] + scale * (code - 1) else
      f[cbind(1:90, code)] <- f[cbind(1:90, code)] + scale
    fitted <- calibrate(f, code)
    target <- naive_targets(code, K)
    loss <- function(theta) {
      cross_entropy(f, code, theta[1] / scale, c(0, theta[-1]), target)
    }
    best <- stats::optim(c(1, numeric(K - 1)), loss, method = "BFGS",
                         control = list(reltol = 1e-14, maxit = 1000))
    expect_lte(cross_entropy(f, code, fitted$a, fitted$b, target), best$value + 1e-6)
  }
})

test_that("weights count like repeated rows, by their ratios", {
  set.seed(3)
  code <- sample(3, 1500, TRUE)
  f <- matrix(rnorm(4500), 1500)
  f[cbind(1:1500, code)] <- f[cbind(1:1500, code)] + 2
  w <- rep_len(1:3, 1500)
  rows <- rep(1:1500, w)
  a <- calibrate(f, code, w)
  expect_equal(calibrate(f, code, 10 * w), a)
  expect_gt(abs(calibrate(f, code)$a - a$a), 1e-4)
  b <- calibrate(f[rows, ], code[rows])
  expect_equal(a$a, b$a, tolerance = 0.02)
  expect_equal(a$b, b$b, tolerance = 0.02)
})

test_that("separable, constant and lonely decision values stay finite", {
  code <- rep(1:2, each = 20)
  separable <- calibrate(cbind(ifelse(code == 2, 1, -1)), code)
  expect_gt(separable$a, 1)
  expect_lt(separable$a, 20)
  expect_warning(constant <- calibrate(cbind(rep(0.3, 40)), code), "class frequencies")
  object <- list(calibration = constant, classes = c("a", "b"), levels = c("a", "b"),
                 clip = TRUE)
  p <- internal("probabilities")(object, cbind(0.3))[1, ]
  expect_equal(p, c(a = 1, b = 1.001) / 2.001)
  expect_warning(calibrate(cbind(c(1, NA, NA)), c(1L, 2L, 1L)), "class frequencies")
})

test_that("D31: the label is made the most probable class by the smallest change", {
  favour <- internal("favour_label")
  p <- rbind(c(0.5, 0.3, 0.2), c(0.5, 0.3, 0.2), c(0.45, 0.5, 0.05), c(0.2, 0.3, 0.5))
  out <- favour(p, c(1L, 2L, 3L, 2L))
  expect_identical(out[1, ], p[1, ])
  expect_equal(out[2, ], c(0.4, 0.4, 0.2), tolerance = 1e-3)
  expect_equal(out[3, ], c(1, 1, 1) / 3, tolerance = 1e-3)
  expect_equal(out[4, ], c(0.2, 0.4, 0.4), tolerance = 1e-3)
  expect_equal(rowSums(out), rep(1, 4))
  expect_identical(max.col(out, "last"), c(1L, 2L, 3L, 2L))
  set.seed(4)
  p <- matrix(rexp(5000), 1000)
  p <- p / rowSums(p)
  label <- sample(5, 1000, TRUE)
  expect_identical(max.col(favour(p, label)), label)
})

test_that("D31, D34: class weights move the labels, and the probabilities keep to them", {
  d <- two_classes(200)
  d$a <- d$a / 3
  weights <- c(low = 1, high = 6)
  fit <- vpsvm(y ~ a + b, d, gamma = 0.3, lambda = 0.01, class.weights = weights,
               probability = TRUE, seed = 1)
  p <- predict(fit, d, type = "prob")
  expect_identical(colnames(p)[max.col(p)], as.character(predict(fit, d)))
  expect_gt(mean(p[, "high"] < 0.502 & p[, "high"] > 0.5), 0.05)
  plain <- vpsvm(y ~ a + b, d, gamma = 0.3, lambda = 0.01, class.weights = weights, seed = 1)
  expect_identical(predict(plain, d), predict(fit, d))
})

test_that("decision values without information fall back to the frequencies", {
  outcome <- list(code = rep(c(1L, 2L), c(30, 10)), classes = c("a", "b"))
  backwards <- cbind(ifelse(outcome$code == 2, -1, 1))
  expect_warning(fitted <- flexkern:::calibrate(backwards, outcome, NULL, list(clip = TRUE)),
                 "class frequencies")
  expect_true(is.na(fitted$a))
  object <- list(calibration = fitted, classes = c("a", "b"), levels = c("a", "b"),
                 clip = TRUE)
  p <- flexkern:::probabilities(object, cbind(c(-0.5, 0.5)))
  expect_equal(p[, "a"], c(0.75, 1 / 2.001))
  w <- rep(c(1, 3), c(30, 10))
  weighted <- suppressWarnings(flexkern:::calibrate(backwards, outcome, w, list(clip = TRUE)))
  expect_equal(weighted$frequency, c(0.5, 0.5))
})

test_that("probabilities are calibrated on new data", {
  set.seed(2)
  n <- 3000
  d <- data.frame(x = runif(n, -2, 2))
  d$y <- factor(ifelse(runif(n) < plogis(2 * d$x), "b", "a"))
  fit <- vpsvm(y ~ x, d[1:1000, ], probability = TRUE, gamma = c(0.3, 1), lambda = c(1e-2, 1e-3),
               seed = 1)
  p <- predict(fit, d[-(1:1000), ], type = "prob")[, "b"]
  expect_lt(mean(abs(p - plogis(2 * d$x[-(1:1000)]))), 0.08)
})

test_that("the Brier score is no worse than e1071's", {
  skip_if_not_installed("e1071")
  scores <- vapply(1:3, function(seed) {
    set.seed(seed)
    train <- c(sample(50, 30), 50 + sample(50, 30), 100 + sample(50, 30))
    new <- iris[-train, ]
    brier <- function(p) mean(rowSums((p - outer(new$Species, colnames(p), "=="))^2))
    fit <- vpsvm(Species ~ ., iris[train, ], probability = TRUE, seed = seed)
    peer <- e1071::svm(Species ~ ., iris[train, ], probability = TRUE)
    theirs <- attr(predict(peer, new, probability = TRUE), "probabilities")
    c(brier(predict(fit, new, type = "prob")), brier(theirs))
  }, c(ours = 0, theirs = 0))
  expect_lt(mean(scores["ours", ]), mean(scores["theirs", ]) + 0.02)
})

test_that("coupling finds the probabilities that the pairs come from, or the nearest ones", {
  couple <- internal("couple_pairs")
  set.seed(5)
  p <- matrix(rexp(40), 10)
  p <- p / rowSums(p)
  duel <- utils::combn(4, 2)
  r <- p[, duel[2, ]] / (p[, duel[2, ]] + p[, duel[1, ]])
  expect_equal(couple(r, 4), p)
  r <- matrix(runif(6, 0.1, 0.9), 1)
  loss <- function(theta) {
    p <- exp(c(0, theta)) / sum(exp(c(0, theta)))
    sum(((1 - r) * p[duel[2, ]] - r * p[duel[1, ]])^2)
  }
  best <- stats::optim(numeric(3), loss, method = "BFGS", control = list(reltol = 1e-15))
  expect_equal(as.vector(couple(r, 4)), exp(c(0, best$par)) / sum(exp(c(0, best$par))),
               tolerance = 1e-4)
})

test_that("D31, D34: one against one, probabilities are coupled and keep to the labels", {
  fit <- function(...) {
    vpsvm(Species ~ ., iris, multiclass = "ovo", loss = "hinge", gamma = c(0.1, 1),
          lambda = c(1e-2, 1e-3), seed = 1, ...)
  }
  m <- fit(probability = TRUE)
  p <- predict(m, iris, type = "prob")
  expect_identical(predict(m, iris), predict(fit(), iris))
  expect_identical(colnames(p)[max.col(p)], as.character(predict(m, iris)))
  expect_equal(rowSums(p), rep(1, 150))
  brier <- mean(rowSums((p - outer(iris$Species, colnames(p), "=="))^2))
  expect_lt(brier, 0.1)
  f <- predict(m, iris, type = "decision")
  r <- stats::plogis(f[, 3] * m$calibration$a[3] + m$calibration$b[3])
  apart <- iris$Species != "setosa"
  expect_equal((p[, 3] / (p[, 2] + p[, 3]))[apart], r[apart], tolerance = 0.02)
})

test_that("D32: pairs without information have the shares of their classes", {
  set.seed(6)
  code <- rep(1:3, c(30, 20, 10))
  f <- cbind(ifelse(code == 2, 1, -1) + rnorm(60), 0, ifelse(code == 3, -1, 1))
  fit <- list(clip = FALSE, multiclass = "ovo", classes = c("a", "b", "c"))
  fitted <- internal("calibrate")(f, list(code = code, classes = fit$classes), NULL, fit)
  expect_gt(fitted$a[1], 0)
  expect_identical(fitted$a[2:3], c(0, 0))
  expect_equal(fitted$b[2:3], log(c(11 / 31, 11 / 21)))
  expect_warning(internal("calibrate")(0 * f, list(code = code, classes = fit$classes), NULL, fit),
                 "class frequencies")
})
