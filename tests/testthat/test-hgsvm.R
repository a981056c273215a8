two_of_ten <- function(n, seed, noise = 0.1) {
  set.seed(seed)
  x <- matrix(runif(n * 10, -1, 1), n)
  truth <- sin(3 * x[, 1]) * cos(2 * x[, 2])
  list(x = x, y = truth + noise * rnorm(n), truth = truth)
}

error_on <- function(fit, new) mean((predict(fit, new$x) - new$truth)^2)

test_that("irrelevant weights vanish and the error falls to less than half", {
  train <- two_of_ten(400, 1)
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
  train <- make(400, 1)
  new <- make(1000, 2)
  one <- hgsvm(train$x, train$y, hg_inhomogeneous(8), seed = 1)
  two <- hgsvm(train$x, train$y, hg_groups(rep(1:2, each = 4)), seed = 1)
  expect_lt(error_on(two, new), 0.8 * error_on(one, new))
})

test_that("threads and repetition change no bit, seeds do", {
  train <- two_of_ten(150, 3)
  for (optimizer in c("lbfgs", "adam", "anneal")) {
    length <- if (optimizer == "anneal") list(anneal = 20, cycles = 2) else list(steps = 8)
    fit <- function(threads, seed) {
      do.call(hgsvm, c(list(train$x, train$y, hg_random(10, 4, seed = 1), optimizer, seed = seed,
                            threads = threads, rounds = 2), length))
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

test_that("learning that runs off keeps the best weights before", {
  train <- two_of_ten(90, 4)
  fit <- hgsvm(train$x, train$y, hg_random(10, 4, seed = 1), rate = 10, steps = 60, seed = 1)
  expect_true(all(is.finite(predict(fit, train$x))))
  expect_identical(fit$learning[[1]]$error, min(fit$learning[[1]]$trace$test))
})

test_that("with only improvements accepted the validation risk falls", {
  train <- two_of_ten(200, 5)
  fit <- hgsvm(train$x, train$y, hg_random(10, 4, seed = 2), "anneal", rounds = 1, cycles = 4,
               temperature = 1e-12, seed = 1)
  expect_true(all(diff(fit$learning[[1]]$trace$validation) < 1e-3))
})

test_that("every loss and task learns", {
  train <- two_of_ten(90, 6)
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

test_that("the default tries seven architectures and the Gaussian kernel and keeps the best", {
  train <- two_of_ten(120, 7)
  fit <- hgsvm(train$x, train$y, steps = 3, seed = 1)
  expect_identical(nrow(fit$architectures), 8L)
  expect_identical(which(fit$architectures$chosen), which.min(fit$architectures$cv.risk))
  expect_identical(fit$architectures$depth, rep(c(1L, 2L, 1L), c(1, 6, 1)))
  few <- hgsvm(train$x[, 1, drop = FALSE], train$y, steps = 3, seed = 1)
  expect_identical(few$architectures$name, c("inhomogeneous", "inhomogeneous, unlearned"))
})

test_that("one weight a column needs no count of the columns", {
  train <- two_of_ten(120, 7)
  d <- data.frame(train$x, k = rep(c("r", "s"), 60), constant = 1, y = train$y)
  fit <- suppressMessages(hgsvm(y ~ ., d, architectures = "inhomogeneous", steps = 5, seed = 1))
  same <- suppressMessages(hgsvm(y ~ ., d, architectures = hg_kernel(1:11), steps = 5, seed = 1))
  expect_identical(predict(fit, d), predict(same, d))
  expect_identical(fit$architectures$name, c("inhomogeneous", "inhomogeneous, unlearned"))
})

test_that("a summary shows the architectures and the columns' shares", {
  train <- two_of_ten(60, 7)
  fit <- hgsvm(train$x, train$y, list(flat = hg_inhomogeneous(10), pairs = hg_groups(rep(1:5, 2))),
               steps = 3, gamma = 1, lambda = 0.01, folds = 2, seed = 1)
  s <- summary(fit)
  expect_identical(s$architectures, fit$architectures)
  expect_identical(s$importance, importance(fit))
  out <- capture.output(print(s))
  for (line in c("Architecture +(flat|pairs).*, the best of 4", "by adam on 60 rows",
                 "^ *name depth nodes weights learned", "Shares of the columns",
                 "weights [0-9.e-]+; summed")) {
    expect_match(out, line, all = FALSE)
  }
  wide <- hgsvm(cbind(train$x, train$x), train$y, "inhomogeneous", steps = 3, gamma = 1,
                lambda = 0.01, seed = 1)
  expect_output(print(summary(wide)), "and 8 more, together")
})

test_that("the best architecture is kept by cross-validated risk, with one pair, too", {
  train <- two_of_ten(150, 8)
  kernels <- list(bad = hg_kernel(9:10), good = hg_kernel(1:2), all = hg_inhomogeneous(10))
  for (lambda in list(c(0.1, 1e-3), 1e-3)) {
    fit <- hgsvm(train$x, train$y, kernels, steps = 5, gamma = 1, lambda = lambda, seed = 1)
    tried <- fit$architectures
    expect_identical(which(tried$chosen), which.min(tried$cv.risk))
    expect_identical(fit$hierarchy$columns, rep(kernels, 2)[[which(tried$chosen)]]$columns)
    expect_identical(fit$nodes, flat_nodes(fit$hierarchy))
  }
})

test_that("many rows: some learn the weights, all train", {
  train <- two_of_ten(500, 8)
  fit <- hgsvm(train$x, train$y, hg_inhomogeneous(10), learn.rows = 200, cells = 3, seed = 1)
  expect_identical(fit$learn.rows, 200L)
  code <- rep(1:3, c(9000, 90, 10))
  s <- list(learn.rows = 910, seed = 3)
  rows <- learning_rows(code, s)
  expect_false(anyDuplicated(rows) > 0)
  expect_identical(tabulate(code[rows]), c(900L, 9L, 1L))
  expect_length(fit$cell.size, 3)
  # One layer is a scaling of the columns: vpsvm() on scaled columns is the same machine.
  one <- hgsvm(train$x, train$y, hg_inhomogeneous(10), learn.rows = 200, gamma = 1, lambda = 1e-4,
               seed = 1)
  scaled <- sweep(train$x, 2, apply(train$x, 2, function(v) 2 / diff(range(v))) * coef(one), "*")
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

test_that("constant columns of a given architecture have no weight and no share", {
  d <- two_of_ten(60, 9)
  d$x[, c(3, 5)] <- 1
  for (kernel in list(hg_inhomogeneous(10), hg_groups(rep(1:5, each = 2)))) {
    for (scale in c("range", "none")) {
      fit <- suppressMessages(hgsvm(d$x, d$y, kernel, steps = 5, scale = scale, seed = 1))
      shares <- importance(fit)
      expect_identical(which(shares == 0), c(V3 = 3L, V5 = 5L))
      moved <- d$x
      moved[, 3] <- 7
      expect_identical(predict(fit, moved), predict(fit, d$x))
    }
  }
})

test_that("weights that would carry the distances out of single precision are refused", {
  d <- two_of_ten(60, 9)
  d$x[, 1] <- 1e15 * d$x[, 1]
  expect_flexkern_error(hgsvm(d$x, d$y, hg_inhomogeneous(10, rep(1e6, 10)), scale = FALSE),
                        "distances overflow")
  d$x[, 1] <- 1e-15 * d$x[, 1]
  for (optimizer in c("adam", "anneal")) {
    length <- if (optimizer == "anneal") list(anneal = 20) else list(steps = 5)
    fit <- do.call(hgsvm, c(list(d$x, d$y, hg_inhomogeneous(10), optimizer, scale = FALSE,
                                 seed = 1), length))
    expect_true(all(is.finite(predict(fit, d$x))))
  }
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
