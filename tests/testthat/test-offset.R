# A constant among the functions of a machine.

correct <- function(fit, x, y) mean(predict(fit, x) == y)
rmse <- function(fit, x, y) sqrt(mean((predict(fit, x) - y)^2))

test_that("a linear machine does not go through the origin", {
  set.seed(1)
  x <- runif(200, 0, 10)
  c <- factor(x > 2)
  expect_gte(correct(vpsvm(cbind(x), c, kernel = "linear", seed = 1), cbind(x), c), 0.98)
  expect_lt(correct(vpsvm(cbind(x), c, kernel = "linear", loss = "hinge", offset = "none",
                          seed = 1), cbind(x), c), 0.8)
  set.seed(1)
  r <- data.frame(x = rexp(200))
  r$y <- 5 + 2 * r$x + rnorm(200, sd = 0.1)
  for (scale in list(TRUE, "range", FALSE)) {
    expect_lt(rmse(vpsvm(y ~ x, r, kernel = "linear", scale = scale, seed = 1), r, r$y), 0.1)
    expect_lt(rmse(vpsvm(y ~ x, r, kernel = "linear", loss = "epsilon", scale = scale, seed = 1),
                   r, r$y), 0.101)
  }
  far <- transform(r, x = x + 1e6)
  expect_equal(predict(vpsvm(y ~ x, far, kernel = "linear", scale = FALSE, seed = 1), far),
               predict(vpsvm(y ~ x, r, kernel = "linear", scale = FALSE, seed = 1), r),
               tolerance = 1e-6)
  expect_lte(vpsvm(Species ~ ., iris, kernel = "linear", seed = 1)$cv.error, 0.04)
})

test_that("a circle is a matter of squares and a constant", {
  set.seed(1)
  d <- data.frame(a = runif(300, -1, 1), b = runif(300, -1, 1))
  d$y <- factor(d$a^2 + d$b^2 < 0.6)
  for (loss in c("least.squares", "hinge")) {
    fit <- vpsvm(y ~ ., d, kernel = "polynomial", degree = 2, loss = loss, seed = 1)
    expect_lt(fit$cv.error, 0.057)
    none <- vpsvm(y ~ ., d, kernel = "polynomial", degree = 2, loss = loss, offset = "none",
                  seed = 1)
    expect_gt(none$cv.error, 0.3)
  }
})

test_that("a radial machine need not fall to 0 where nothing is known", {
  skip_if_not_installed("mlbench")
  set.seed(1)
  peak <- mlbench::mlbench.peak(300)
  i <- 1:200
  share <- function(offset) {
    fit <- vpsvm(peak$x[i, ], peak$y[i], offset = offset, seed = 1)
    mean((predict(fit, peak$x[-i, ]) - peak$y[-i])^2) / var(peak$y[-i])
  }
  expect_lt(share("auto"), share("none") / 3)
})

test_that("the constant is one of the kernel, in every cell, class and form of the input", {
  set.seed(3)
  x <- cbind(a = rnorm(60), b = runif(60), c = rbinom(60, 1, 0.3) * rnorm(60))
  y <- x[, 1] + x[, 2]^2 + 3
  w <- runif(60, 0.5, 2)
  own <- function(square, kernel) {
    size <- weighted.mean(square, w)
    switch(kernel, radial = 1, linear = size, polynomial = 0.7^2 * size^2)
  }
  for (kernel in c("radial", "linear", "polynomial")) {
    own_options <- list(gamma = if (kernel != "linear") 0.7)
    if (kernel == "polynomial") own_options$degree <- 2
    machine <- function(x) {
      do.call(vpsvm, c(list(x, y, kernel = kernel, lambda = 1e-3, weights = w, clip = FALSE,
                            seed = 1), own_options))
    }
    fit <- machine(x)
    z <- fit$sv[order(fit$index), ]
    k <- ref_kernel(z, z, kernel, 0.7, 2) + own(rowSums(z^2), kernel)
    a <- ref_solve(k, (y - fit$label["center"]) / fit$label["half"], w / mean(w), 1e-3)
    expect_equal(as.vector(predict(fit, x)),
                 as.vector(k %*% a * fit$label["half"] + fit$label["center"]), tolerance = 1e-6)
    sparse <- machine(as_sparse_matrix(x))
    expect_equal(predict(sparse, x), predict(fit, x), tolerance = 1e-6)
    expect_identical(predict(unserialize(serialize(fit, NULL)), x), predict(fit, x))
  }
  none <- vpsvm(x, y, offset = "none", gamma = 0.7, lambda = 1e-3, seed = 1)
  expect_identical(none$constant, 0)
  z <- none$sv[order(none$index), ]
  k <- ref_kernel(z, z, "radial", 0.7)
  a <- ref_solve(k, (y - none$label["center"]) / none$label["half"], rep(1, 60), 1e-3)
  expect_equal(as.vector(none$fitted), as.vector(k %*% a * none$label["half"] +
                                                   none$label["center"]), tolerance = 1e-6)
})

test_that("far from all rows a radial machine says its constant", {
  d <- regression_data()
  for (loss in c("least.squares", "pinball", "epsilon")) {
    fit <- vpsvm(d[1:2], d$t, loss = loss, gamma = 5, lambda = 1e-3, clip = FALSE, folds = 3,
                 cells = 2, seed = 1)
    far <- data.frame(u = 1e4, v = c(-1e4, 1e4))
    sums <- rowsum(fit$coef, rep(1:2, diff(fit$offset))) * fit$constant + fit$intercept
    expect_true(all(vapply(predict(fit, far), function(p) {
      any(abs(p - sums * fit$label[["half"]] - fit$label[["center"]]) < 1e-10)
    }, NA)))
  }
})

test_that("linear and polynomial machines are as good as those with an unpenalised offset", {
  skip_if_not_installed("e1071")
  sets <- list(list(Species ~ ., iris), list(Sex ~ ., from_package("MASS", "cats")),
               list(Class ~ ., get_mlbench("Sonar")))
  machines <- list(list(kernel = "linear"), list(kernel = "polynomial", degree = 2),
                   list(kernel = "polynomial", degree = 3))
  for (set in sets) for (machine in machines) {
    d <- set[[2]]
    truth <- d[[all.vars(set[[1]])[1]]]
    score <- vapply(1:5, function(k) {
      set.seed(k)
      i <- sample(nrow(d), 2 * nrow(d) / 3)
      theirs <- do.call(e1071::svm, c(list(set[[1]], d[i, ], cost = 1), machine))
      ours <- suppressMessages(do.call(vpsvm, c(list(set[[1]], d[i, ], cost = 1, scale = TRUE),
                                                machine)))
      c(correct(theirs, d[-i, ], truth[-i]), correct(ours, d[-i, ], truth[-i]))
    }, numeric(2))
    expect_gte(mean(score[2, ]), mean(score[1, ]) - 0.01)
  }
})

test_that("exact linear regressions are found, as by an unpenalised offset", {
  set.seed(4)
  d <- data.frame(a = rnorm(100, 50, 3), b = rexp(100), c = runif(100, -1e-3, 0))
  for (y in list(3 - 2 * d$a, 100 + d$b + 1e3 * d$c, d$a + d$b - 5e4 * d$c - 200)) {
    fit <- vpsvm(d, y, kernel = "linear", seed = 1)
    expect_lt(rmse(fit, d, y), 1e-3 * sd(y))
  }
})

test_that("kernels without bound go on beyond the rows", {
  d <- data.frame(t = 1:60)
  d$y <- 10 + 2 * d$t + sin(d$t)
  new <- data.frame(t = c(70, 100))
  fit <- vpsvm(y ~ t, d, kernel = "linear", seed = 1)
  expect_false(fit$clip)
  expect_equal(predict(fit, new), c(150, 210), tolerance = 0.01)
  interval <- predict(fit, new, interval = "conformal")
  expect_true(all(interval[, "lwr"] < c(150, 210) & c(150, 210) < interval[, "upr"]))
  levels <- predict(vpsvm(y ~ t, d, kernel = "linear", loss = "pinball", tau = c(0.1, 0.5, 0.9),
                          seed = 1), new)
  expect_true(all(levels[, 1] < levels[, 2] & levels[, 2] < levels[, 3]))
  expect_equal(unname(levels[, 2]), c(150, 210), tolerance = 0.03)
  cubic <- transform(d, y = t^3)
  expect_gt(predict(vpsvm(y ~ t, cubic, kernel = "polynomial", seed = 1), new[2, , drop = FALSE]),
            0.9 * 100^3)
  expect_equal(predict(kbp(y ~ t, d, kernels = list("linear", "radial"), seed = 1), new),
               c(150, 210), tolerance = 0.02)
  expect_lte(max(predict(vpsvm(y ~ t, d, seed = 1), new)), max(d$y))
  expect_lte(max(predict(vpsvm(y ~ t, d, kernel = "linear", clip = TRUE, seed = 1), new)),
             max(d$y))
})
