test_that("the temperature is the maximum-likelihood one", {
  set.seed(1)
  f <- cbind(runif(2000, -1, 1))
  code <- 1L + (runif(2000) < plogis(3 * f[, 1]))
  outcome <- list(code = code, classes = c("a", "b"))
  fitted <- flexkern:::calibrate(f, outcome, NULL, list(clip = TRUE))
  glm_slope <- stats::coef(stats::glm(code - 1 ~ f - 1, family = stats::binomial()))
  expect_equal(fitted$a, unname(glm_slope), tolerance = 0.02)
})

test_that("decision values without information fall back to the frequencies", {
  outcome <- list(code = rep(c(1L, 2L), c(30, 10)), classes = c("a", "b"))
  backwards <- cbind(ifelse(outcome$code == 2, -1, 1))
  expect_warning(fitted <- flexkern:::calibrate(backwards, outcome, NULL, list(clip = TRUE)),
                 "class frequencies")
  expect_true(is.na(fitted$a))
  object <- list(calibration = fitted, classes = c("a", "b"), levels = c("a", "b"))
  p <- flexkern:::probabilities(object, cbind(c(-0.5, 0.5)))
  expect_equal(p[, "a"], c(0.875, 0.375))
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
