# The table of cross-validated errors, and e1071's tune().

d <- two_classes(80)

test_that("one row per pair, with the errors of the grid and the selected pair marked", {
  gamma <- c(0.3, 1, 3)
  lambda <- c(0.1, 0.01)
  fit <- vpsvm(y ~ ., d, gamma = gamma, lambda = lambda, search = "full", seed = 1)
  table <- cv_table(fit)
  expect_identical(names(table), c("cell", "gamma", "lambda", "error", "rows", "selected"))
  expect_identical(nrow(table), 6L)
  expect_equal(table$error, as.vector(fit$grid[[1]]$risk))
  chosen <- table[table$selected, ]
  expect_equal(chosen$gamma, fit$gamma)
  expect_equal(chosen$lambda, fit$lambda)
  expect_equal(chosen$error, min(table$error))
  expect_equal(chosen$error, fit$cv.risk)
  by_hand <- vpsvm(y ~ ., d, gamma = 3, lambda = 0.1, folds = 5, seed = 1)
  expect_equal(table$error[table$gamma == 3 & table$lambda == 0.1], by_hand$cv.risk,
               tolerance = 1e-3)
})

test_that("a row per cell, also where a race drops pairs or a finer grid wins", {
  fit <- vpsvm(y ~ ., d, cells = 3, seed = 1, refine = TRUE)
  table <- cv_table(fit)
  expect_equal(as.vector(table(table$cell[table$selected])), rep(1, length(fit$cell.size)))
  expect_equal(table$gamma[table$selected], fit$gamma)
  expect_equal(table$error[table$selected], fit$cv.risk)
  expect_identical(cv_table(fit, cell = 2)$cell, table$cell[table$cell == 2])
  expect_identical(max(table$rows[table$cell == 1]), fit$cell.size[1])
})

test_that("a row per pair and level; a race knows those of one level, a whole grid all", {
  r <- regression_data(80)
  fit <- function(...) {
    vpsvm(t ~ ., r, loss = "pinball", tau = c(0.1, 0.5, 0.9), gamma = c(0.3, 1), seed = 1,
          lambda = c(0.1, 0.01, 0.001), ...)
  }
  race <- cv_table(m <- fit())
  expect_identical(names(race), c("cell", "gamma", "lambda", "tau", "error", "rows", "selected"))
  expect_identical(race$tau, rep(m$tau, 6))
  expect_identical(sum(race$selected), 3L)
  expect_identical(race$error[race$selected], unname(m$own.risk[1, ]))
  expect_true(all(is.na(race$error[race$tau != 0.5 & !race$selected])))
  whole <- cv_table(m <- fit(search = "full"))
  expect_false(anyNA(whole$error))
  expect_identical(whole$error[whole$selected], unname(m$own.risk[1, ]))
  lead <- whole[whole$tau == 0.5, ]
  expect_identical(lead$error, as.vector(m$grid[[1]]$risk))
  expect_true(lead$selected[which.min(lead$error)])
  one <- whole[1:3, ]
  alone <- vpsvm(t ~ ., r, loss = "pinball", tau = m$tau, gamma = one$gamma[1],
                 lambda = one$lambda[1], folds = 5, seed = 1)
  expect_equal(one$error, unname(alone$own.risk[1, ]), tolerance = 1e-3)
})

test_that("a row per pair and pair of weights, and one of all where a large cell knows no more", {
  pairs <- rbind(a = c(low = 1, high = 1), b = c(5, 1))
  fit <- function(d, ...) {
    vpsvm(y ~ ., d, loss = "hinge", class.weights = pairs, gamma = c(0.3, 1), seed = 1,
          lambda = c(0.1, 0.01), ...)
  }
  table <- cv_table(m <- fit(d))
  expect_identical(table$class.weights, rep(c("a", "b"), 4))
  expect_false(anyNA(table$error))
  expect_identical(table$error[table$selected], unname(m$own.risk[1, ]))
  table <- cv_table(m <- fit(two_classes(300), search.rows = 120))
  expect_identical(table$error[table$selected], unname(m$own.risk[1, ]))
  sample <- table[table$rows == 120, ]
  expect_identical(sample$class.weights, rep(c("a", "b"), 4))
  tried <- table[table$rows == 300 & !table$selected, ]
  expect_identical(nrow(tried), nrow(m$grid[[1]]$tried) - 1L)
  expect_true(all(is.na(tried$class.weights)) && !anyNA(tried$error))
})

test_that("a large cell has the errors of its sample and of all rows", {
  big <- two_classes(400)
  fit <- vpsvm(y ~ ., big, gamma = c(0.1, 1), lambda = c(0.1, 0.01), search.rows = 150, seed = 1)
  table <- cv_table(fit)
  expect_setequal(table$rows, c(150, 400))
  expect_identical(table$rows[table$selected], 400L)
  expect_equal(table$error[table$selected], fit$cv.risk)
})

test_that("a fit with given parameters and folds has one row", {
  fit <- vpsvm(y ~ ., d, gamma = 1, lambda = 0.01, folds = 5, seed = 1)
  table <- cv_table(fit)
  expect_identical(nrow(table), 1L)
  expect_true(table$selected)
  expect_equal(table$error, fit$cv.risk)
})

test_that("kernel basis pursuit: one row per bound", {
  fit <- kbp(y ~ a, d, bandwidths = c(0.7, 2), seed = 1)
  table <- cv_table(fit)
  expect_identical(names(table), c("response", "bound", "error", "selected"))
  expect_identical(table$bound, fit$grid[[1]]$bound)
  expect_identical(sum(table$selected), 1L)
  expect_equal(table$error[table$selected], min(table$error, na.rm = TRUE))
})

test_that("what has no table is said", {
  fixed <- vpsvm(y ~ ., d, gamma = 1, lambda = 0.01)
  fit <- vpsvm(y ~ ., d, gamma = 1:2, lambda = 0.01, seed = 1)
  greedy <- kbp(y ~ a, d, bandwidths = 1, bound = 0.5)
  expect_refusals(alist(
    cv_table(fixed), cv_table(fit, cell = 2), cv_table(fit, cell = "a"), cv_table(fit, cells = 1),
    cv_table(greedy)
  ))
})

test_that("tune() of e1071: regression and classes, its print, summary and plot", {
  tune <- from_package("e1071", "tune")
  control <- from_package("e1071", "tune.control")(cross = 3)
  r <- regression_data()
  ranges <- list(gamma = c(0.1, 1), lambda = c(0.1, 1e-3))
  set.seed(1)
  regression <- tune(vpsvm, t ~ ., data = r, ranges = ranges, tunecontrol = control)
  expect_identical(nrow(regression$performances), 4L)
  expect_lt(regression$best.performance, stats::var(r$t) / 2)
  expect_identical(regression$best.parameters$lambda, 1e-3)
  expect_equal(predict(regression$best.model, r),
               predict(vpsvm(t ~ ., r, gamma = regression$best.parameters$gamma, lambda = 1e-3), r))
  set.seed(1)
  by_xy <- tune(vpsvm, as.matrix(r[c("u", "v")]), r$t, ranges = ranges, tunecontrol = control)
  expect_equal(by_xy$performances, regression$performances, tolerance = 1e-6)
  expect_output(print(regression), "best parameters")
  expect_output(print(summary(regression)), "Detailed performance")
  expect_true(drawn(plot(regression)))
  set.seed(1)
  classes <- tune(vpsvm, y ~ ., data = d, ranges = ranges[1], lambda = 0.01, tunecontrol = control)
  expect_lt(classes$best.performance, 0.3)
  expect_true(drawn(plot(classes)))
  whole <- tune(vpsvm, y ~ ., data = d, gamma = c(0.3, 1), lambda = 0.01, tunecontrol = control)
  expect_lt(whole$best.performance, 0.3)
})
