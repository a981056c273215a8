two_of_ten <- function(n, seed, noise = 0.1) {
  set.seed(seed)
  x <- matrix(runif(n * 10, -1, 1), n)
  truth <- sin(3 * x[, 1]) * cos(2 * x[, 2])
  list(x = x, y = truth + noise * rnorm(n), truth = truth)
}

error_on <- function(fit, new) mean((predict(fit, new$x) - new$truth)^2)

test_that("irrelevant weights vanish and the error falls to less than half", {
  train <- two_of_ten(900, 1)
  new <- two_of_ten(1000, 2)
  plain <- error_on(vpsvm(train$x, train$y, seed = 1), new)
  for (optimizer in c("lbfgs", "adam")) {
    fit <- hgsvm(train$x, train$y, hg_inhomogeneous(10), optimizer, seed = 1)
    expect_lt(error_on(fit, new), plain / 3)
  }
  # The last one, by Adam.
  expect_lt(max(coef(fit)[3:10]), min(coef(fit)[1:2]) / 10)
  fit <- hgsvm(train$x, train$y, hg_random(10, 4, 2, seed = 1), "anneal", seed = 1)
  expect_lt(error_on(fit, new), plain / 3)
})

test_that("two layers beat one where two groups of columns act apart", {
  make <- function(n, seed) {
    set.seed(seed)
    x <- matrix(runif(n * 8, -1, 1), n)
    bump <- function(at) exp(-4 * rowSums(x[, at]^2))
    truth <- 2 * bump(1:4) + 2 * bump(5:8)
    list(x = x, y = truth + 0.05 * rnorm(n), truth = truth)
  }
  train <- make(600, 1)
  new <- make(1000, 2)
  one <- hgsvm(train$x, train$y, hg_inhomogeneous(8), seed = 1)
  two <- hgsvm(train$x, train$y, hg_groups(rep(1:2, each = 4)), seed = 1)
  expect_lt(error_on(two, new), 0.8 * error_on(one, new))
})

test_that("threads and repetition change no bit, seeds do", {
  train <- two_of_ten(150, 3)
  for (optimizer in c("lbfgs", "adam", "anneal")) {
    fit <- function(threads, seed) {
      hgsvm(train$x, train$y, hg_random(10, 4, seed = 1), optimizer, seed = seed,
            threads = threads, steps = 8, anneal = 20, rounds = 2, cycles = 2)
    }
    a <- fit(1, 1)
    expect_identical(coef(a), coef(fit(2, 1)))
    expect_identical(predict(a, train$x[1:5, ]), predict(fit(2, 1), train$x[1:5, ]))
    expect_false(identical(coef(a), coef(fit(1, 2))))
  }
})

test_that("the numbers of Algorithm 1 are arguments", {
  train <- two_of_ten(90, 4)
  fit <- hgsvm(train$x, train$y, hg_inhomogeneous(10), "anneal", rounds = 3, cycles = 2,
               anneal = c(7, 5), descent = 0, temperature = 1e-9, restart = "init", seed = 1)
  record <- fit$learning[[1]]
  expect_identical(record$trace$round, rep(1:3, each = 2))
  expect_equal(record$proposals, 3 * (7 + 5))
  expect_lte(record$accepted, record$proposals)
  expect_equal(record$error, min(record$trace$test))
  paper <- flexkern:::with_preset(list(preset = "paper", optimizer = "anneal"))
  expect_equal(unlist(paper[c("rounds", "cycles", "anneal", "descent")], use.names = FALSE),
               c(10, 15, 1000, 500, 10))
})

test_that("with only improvements accepted the validation risk falls", {
  train <- two_of_ten(200, 5)
  fit <- hgsvm(train$x, train$y, hg_random(10, 4, seed = 2), "anneal", rounds = 1, cycles = 4,
               temperature = 1e-12, seed = 1)
  expect_true(all(diff(fit$learning[[1]]$trace$validation) < 1e-3))
})

test_that("every loss and task learns", {
  train <- two_of_ten(150, 6)
  for (loss in c("pinball", "expectile", "epsilon")) {
    fit <- hgsvm(train$x, train$y, hg_inhomogeneous(10), loss = loss, anneal = 30, seed = 1)
    expect_identical(fit$optimizer, "anneal")
    expect_true(all(is.finite(predict(fit, train$x))))
  }
  hinge <- hgsvm(Species ~ ., iris, loss = "hinge", architectures = hg_inhomogeneous(4),
                 anneal = 30, seed = 1)
  expect_lt(mean(predict(hinge, iris) != iris$Species), 0.1)
  three <- hgsvm(Species ~ ., iris, architectures = hg_groups(c(1, 1, 2, 2)), seed = 1,
                 probability = TRUE)
  expect_lt(mean(predict(three, iris) != iris$Species), 0.1)
  expect_equal(rowSums(predict(three, iris, type = "prob")), rep(1, 150), ignore_attr = TRUE)
})

test_that("the default tries seven architectures and keeps the best", {
  train <- two_of_ten(120, 7)
  fit <- hgsvm(train$x, train$y, steps = 3, seed = 1)
  expect_identical(nrow(fit$architectures), 7L)
  expect_identical(which(fit$architectures$chosen), which.min(fit$architectures$cv.risk))
  expect_identical(fit$architectures$depth, rep(1:2, c(1, 6)))
  few <- hgsvm(train$x[, 1, drop = FALSE], train$y, steps = 3, seed = 1)
  expect_identical(nrow(few$architectures), 1L)
})

test_that("many rows: some learn the weights, all train", {
  train <- two_of_ten(500, 8)
  fit <- hgsvm(train$x, train$y, hg_inhomogeneous(10), learn.rows = 200, cells = 3, seed = 1)
  expect_lte(fit$learn.rows, 250)
  expect_length(fit$cell.size, 3)
  # One layer is a scaling of the columns: vpsvm() on scaled columns is the same machine.
  scaled <- sweep(train$x, 2, apply(train$x, 2, function(v) 2 / diff(range(v))) * coef(fit), "*")
  one <- hgsvm(train$x, train$y, hg_inhomogeneous(10), learn.rows = 200, gamma = 1, lambda = 1e-4,
               seed = 1)
  same <- vpsvm(scaled, train$y, gamma = 1, lambda = 1e-4, scale = FALSE)
  expect_equal(fitted(one), fitted(same), tolerance = 1e-4)
})

test_that("edge cases: few rows, constant columns, constant label", {
  d <- two_of_ten(8, 9)
  expect_warning(fit <- hgsvm(d$x, d$y, hg_inhomogeneous(10), seed = 1), "need 9 rows")
  expect_equal(coef(fit), rep(1, 10), ignore_attr = TRUE)
  d <- two_of_ten(40, 9)
  d$x[, 3] <- 1
  suppressMessages(fit <- hgsvm(d$x, d$y, steps = 2, seed = 1))
  expect_false(3L %in% flexkern:::any_columns(fit$hierarchy))
  fit <- hgsvm(d$x[, 1:2], rep(2, 40), seed = 1)
  expect_identical(predict(fit, d$x[1:3, 1:2]), rep(2, 3))
})

test_that("errors: hgsvm()", {
  d <- two_of_ten(20, 1)
  expect_snapshot(error = TRUE, {
    hgsvm()
    hgsvm(d$x, d$y, architectures = 1)
    hgsvm(d$x, d$y, architectures = list())
    hgsvm(d$x, d$y, architectures = hg_inhomogeneous(11))
    hgsvm(d$x, d$y, optimizer = "newton")
    hgsvm(d$x, d$y, optimizer = "lbfgs", loss = "pinball")
    hgsvm(d$x, d$y, anneal = c(1, 2, 3))
    hgsvm(d$x, d$y, rounds = 0)
    hgsvm(d$x, d$y, spread = 1)
    hgsvm(d$x, d$y, temperature = -1)
    hgsvm(d$x, d$y, rate = 0)
    hgsvm(d$x, d$y, learn.rows = 5)
    hgsvm(d$x, d$y, gamma = "dmm")
    hgsvm(d$x, d$y, memory = 10)
    hgsvm(d$x, d$y, kernel = "linear")
    hgsvm(Matrix::Matrix(d$x, sparse = TRUE), d$y)
  })
  expect_snapshot({
    fit <- hgsvm(d$x[1:8, ], d$y[1:8], hg_inhomogeneous(10), seed = 1)
    k <- hg_random(3, 8, seed = 1)
  })
})
