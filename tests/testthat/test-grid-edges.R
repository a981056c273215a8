# Searches go on while the least loss lies at an edge of a default grid, and say where they end.

halves <- function(o, train, seed = 2) {
  set.seed(seed)
  d <- data.frame(o$x, y = o$classes)[sample(nrow(o$x)), ]
  list(train = d[seq_len(train), ], test = d[-seq_len(train), ])
}

wrong <- function(m, d) mean(predict(m, d$test) != d$test$y)

spirals <- function() {
  draw <- from_package("mlbench", "mlbench.spirals")
  set.seed(1)
  halves(draw(300, 1.5, 0.05), 200)
}

crossed <- function() {
  set.seed(1)
  x <- matrix(runif(600, -1, 1), 300)
  halves(list(x = x, classes = factor(x[, 1] * x[, 2] > 0)), 200)
}

test_that("spirals and a chequered square are learned, and cv.error says so", {
  d <- spirals()
  m <- kmhks(y ~ ., d$train, seed = 1)
  expect_lte(wrong(m, d), 0.05)
  expect_lte(abs(m$cv.error - wrong(m, d)), 0.03)
  wide <- kmhks(y ~ ., d$train, seed = 1, c = 4^(-10:2))
  expect_equal(m$cv.error, wide$cv.error)
  narrow <- kmhks(y ~ ., d$train, seed = 1, c = 2^(-4:4))
  expect_gt(wrong(narrow, d), 0.3)
  m <- rmekl(y ~ ., d$train, seed = 1)
  expect_lte(wrong(m, d), 0.14)
  expect_lte(abs(m$cv.error - wrong(m, d)), 0.06)
  d <- crossed()
  m <- svm2k(y ~ ., d$train, seed = 1)
  expect_lte(wrong(m, d), 0.153)
  expect_lte(abs(m$cv.error - wrong(m, d)), 0.06)
  expect_lt(wrong(m, d), wrong(svm2k(y ~ ., d$train, seed = 1, cost = 2^(-4:4), D = 2^(-4:4)), d))
})

test_that("more turns, where the loss is flat before it falls", {
  draw <- from_package("mlbench", "mlbench.spirals")
  for (seed in 1:2) {
    set.seed(seed)
    d <- halves(draw(300, 2, 0.05), 200, seed + 1)
    m <- kmhks(y ~ ., d$train, seed = 1)
    expect_lte(wrong(m, d), 0.15)
    expect_equal(m$cv.error, kmhks(y ~ ., d$train, seed = 1, c = 4^(-10:2))$cv.error)
  }
  set.seed(1)
  d <- halves(draw(300, 1.5, 0.05), 200)
  expect_lte(wrong(svm2k(y ~ ., d$train, seed = 1), d), 0.25)
})

# No value of an open axis beyond the least loss is better by more than what ends a search.
test_that("the least loss lies inside the grid, or at an end that is said", {
  fits <- list(
    rmekl(Species ~ ., iris, seed = 1), mhks(Species ~ ., iris, seed = 1),
    kmhks(Species ~ ., iris, seed = 2, multiclass = "ovr"), svm2k(Species ~ ., iris, seed = 1),
    rmekl(y ~ ., two_classes(), seed = 1)
  )
  for (m in fits) for (k in seq_len(nrow(m$machines))) {
    grid <- m$grid[[k]]
    axes <- names(m$penalties)
    at <- mapply(function(name) match(m$machines[[name]][k], grid[[name]]), axes)
    expect_identical(dim(grid$loss), lengths(grid[axes], use.names = FALSE))
    expect_false(anyNA(at))
    expect_equal(grid$loss[rbind(at)], min(grid$loss))
    expect_equal(grid$error[rbind(at)], m$machines$cv.error[k])
    for (axis in seq_along(axes)) {
      values <- grid[[axes[axis]]]
      expect_false(is.unsorted(values, strictly = TRUE))
      expect_gte(min(values), 2^-20)
      expect_lte(max(values), 2^12)
      if (length(values) < 2 || !at[axis] %in% c(1, length(values))) next
      inner <- at
      inner[axis] <- if (at[axis] == 1) 2 else length(values) - 1
      fall <- grid$loss[rbind(inner)] - min(grid$loss)
      said <- grepl(paste0("\\b", axes[axis], " (low|high)"), m$machines$edge[k])
      if (said) expect_true(values[at[axis]] %in% c(2^-20, 2^12))
      expect_identical(said, fall > 1e-4)
    }
  }
})

test_that("values that were given stay, and an edge is said in the model and when printed", {
  d <- spirals()
  m <- kmhks(y ~ ., d$train, seed = 1, c = c(1, 1 / 4, 1 / 16))
  expect_identical(m$grid[[1]]$c, c(1, 1 / 4, 1 / 16))
  expect_identical(m$machines$edge, "c low")
  expect_output(print(m), "Edge of the grid c low\n", fixed = TRUE)
  expect_output(print(summary(m)), "Edge of the grid c low\n", fixed = TRUE)
  m <- rmekl(y ~ ., d$train, seed = 1, lambda = 1)
  expect_identical(m$grid[[1]]$lambda, 1)
  expect_lt(min(m$grid[[1]]$c), 1 / 16)
  m <- kmhks(y ~ ., d$train, c = 1)
  expect_identical(m$machines$edge, "")
  expect_false(any(grepl("Edge", capture.output(print(m)))))
  m <- rmekl(y ~ ., two_classes(), seed = 1, c = 2^(-4:4), lambda = 1)
  expect_identical(m$machines$edge, "")
})

test_that("an ordinary search is no wider than it was", {
  m <- rmekl(Species ~ ., iris, seed = 1)
  pairs <- vapply(m$grid, function(g) length(g$loss), 1L)
  expect_lte(mean(pairs), 2.5 * 81)
  # Labels that cannot be told apart: one axis grows.
  set.seed(3)
  noise <- data.frame(x = runif(80), y = factor(rep(1:2, 40)))
  expect_lte(length(kmhks(y ~ x, noise, seed = 1)$grid[[1]]$loss), 21)
})

test_that("the model that was searched wide is the one of its pair, whatever the threads", {
  d <- spirals()
  m <- rmekl(y ~ ., d$train, seed = 1)
  again <- rmekl(y ~ ., d$train, seed = 1, threads = 1)
  expect_identical(m$grid, again$grid)
  expect_identical(m$coef, again$coef)
  alone <- rmekl(y ~ ., d$train, seed = 1, c = m$machines$c, lambda = m$machines$lambda,
                 probability = TRUE)
  expect_equal(predict(alone, d$test, type = "decision"), predict(m, d$test, type = "decision"),
               tolerance = 1e-4)
  expect_equal(alone$cv.error, m$cv.error, tolerance = 0.02)
})

test_that("vpsvm() and kbp() say where what they chose is the least or the largest", {
  d <- vp_artificial("I", 120, seed = 1)
  m <- vpsvm(y ~ x, d, gamma = c(0.01, 0.02), lambda = c(1e-4, 1e-3, 1e-2), seed = 1)
  expect_identical(summary(m)$cells$edge, "gamma high, lambda low")
  expect_output(print(m), "Edge of the grid gamma high, lambda low\n", fixed = TRUE)
  m <- vpsvm(y ~ x, d, gamma = c(0.01, 0.02), seed = 1)
  expect_output(print(m), "Edge of the grid gamma low\n", fixed = TRUE)
  expect_false(any(grepl("Edge", capture.output(print(vpsvm(y ~ x, d, seed = 1))))))
  expect_identical(summary(vpsvm(y ~ x, d, gamma = 1, lambda = 1))$cells$edge, "")
  m <- kbp(y ~ x, d, stop = "cv.nu", bound = c(0.02, 0.03), seed = 1)
  expect_identical(m$edge, "bound high")
  expect_output(print(m), "Edge of the grid bound high", fixed = TRUE)
  expect_null(kbp(y ~ x, d, seed = 1)$edge)
})
