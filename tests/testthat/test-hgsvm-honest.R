# What hgsvm() says about itself is of rows that no weight has seen; what must not matter does not.

wavy <- function(n, seed, p = 6) {
  set.seed(seed)
  x <- matrix(runif(n * p, -1, 1), n, dimnames = list(NULL, letters[seq_len(p)]))
  list(x = x, y = sin(3 * x[, 1]) * cos(2 * x[, 2]) + 0.1 * rnorm(n))
}

# Learning of so many steps, under any loss and optimizer.
short <- function(x, y, ..., optimizer = "adam", steps = 30, anneal = 10, descent = NULL) {
  size <- if (optimizer == "anneal") list(anneal = anneal, descent = descent) else
    list(steps = steps)
  do.call(hgsvm, c(list(x, y, ..., optimizer = optimizer, seed = 1), size))
}

# ---- the error -----------------------------------------------------------------------------------

# The mean of cv.error and of the errors on new rows over some splits, and the standard error of
# their difference.
error_and_test <- function(split, seeds, ...) {
  each <- vapply(seeds, function(seed) {
    d <- split(seed)
    fit <- hgsvm(d$train$x, d$train$y, ..., seed = seed)
    wrong <- mean(predict(fit, d$test$x) != d$test$y)
    c(fit$cv.error, wrong, wrong * (1 - wrong) * (1 / nrow(d$train$x) + 1 / nrow(d$test$x)))
  }, numeric(3))
  c(cv = mean(each[1, ]), test = mean(each[2, ]), se = sqrt(mean(each[3, ]) / length(seeds)))
}

test_that("cv.error is the error on new rows, up to its standard error", {
  skip_if_not_installed("mlbench")
  twonorm <- function(seed) {
    set.seed(seed)
    draw <- function(n) stats::setNames(mlbench::mlbench.twonorm(n), c("x", "y"))
    list(train = draw(300), test = draw(2000))
  }
  e <- error_and_test(twonorm, 1:3)
  expect_lt(abs(e[["cv"]] - e[["test"]]), 1.5 * e[["se"]])
  expect_lt(e[["test"]], 0.04)
  waveform <- function(seed) {
    set.seed(seed)
    draw <- function(n) stats::setNames(mlbench::mlbench.waveform(n), c("x", "y"))
    list(train = draw(300), test = draw(2000))
  }
  e <- error_and_test(waveform, 1:2)
  expect_lt(abs(e[["cv"]] - e[["test"]]), 1.5 * e[["se"]])
  expect_lt(e[["test"]], 0.19)
})

test_that("cv.error on the heart data is that of rows left out", {
  folder <- Sys.getenv("FLEXKERN_DATA")
  file <- file.path(folder, "heart.csv.gz")
  skip_if_not(nzchar(folder) && file.exists(file), "the data sets are not at hand")
  heart <- utils::read.csv(file)
  x <- as.matrix(heart[names(heart) != "y"])
  y <- factor(heart$y)
  split <- function(seed) {
    set.seed(seed)
    i <- sample(nrow(x), 180)
    list(train = list(x = x[i, ], y = y[i]), test = list(x = x[-i, ], y = y[-i]))
  }
  e <- error_and_test(split, 1:4)
  expect_lt(abs(e[["cv"]] - e[["test"]]), 1.5 * e[["se"]])
  expect_lt(e[["test"]], 0.2)
})

test_that("where there is nothing to learn, cv.error says so", {
  e <- vapply(1:3, function(seed) {
    set.seed(seed)
    x <- matrix(rnorm(60 * 15), 60)
    hgsvm(x, factor(rep(1:2, 30)), hg_random(15, 4, 2, seed = 1), steps = 100, seed = seed)$cv.error
  }, 0)
  expect_gt(mean(e), 0.42)
})

test_that("a row's cross-validated decision does not know its response", {
  d <- wavy(90, 1)
  for (optimizer in c("adam", "lbfgs", "anneal")) {
    fit <- function(y) {
      short(d$x, y, "inhomogeneous", optimizer = optimizer, steps = 60, anneal = 60)
    }
    before <- fit(d$y)
    # Few rows, so that the choice stays; and not the ends, so that the scale of y does.
    inside <- setdiff(which(before$cv$fold == 2), c(which.min(d$y), which.max(d$y)))[1:2]
    after <- fit(replace(d$y, inside, rev(d$y[inside])))
    expect_true(before$architectures$chosen[1] && after$architectures$chosen[1])
    fold <- before$cv$fold == 2
    expect_identical(after$cv$decision[fold], before$cv$decision[fold])
    expect_false(identical(after$cv$decision[!fold], before$cv$decision[!fold]))
  }
})

test_that("the decisions of a fold are those of a fit without it", {
  d <- wavy(100, 2)
  # Of four folds in a fit without the fifth, the inner ones are drawn alike.
  fit <- hgsvm(d$x, d$y, "inhomogeneous", steps = 30, gamma = 1, lambda = 1e-3, seed = 1)
  out <- fit$cv$fold == 3
  other <- hgsvm(d$x[!out, ], d$y[!out], "inhomogeneous", steps = 30, gamma = 1, lambda = 1e-3,
                 seed = 1)
  expect_true(fit$architectures$chosen[1] && other$architectures$chosen[1])
  # The response is scaled by all of its values, which moves no optimum by much.
  expect_equal(fit$cv$decision[out], predict(other, d$x[out, ]), tolerance = 0.02)
  expect_equal(fit$cv.error, mean((d$y - pmin(pmax(fit$cv$decision, min(d$y)), max(d$y)))^2))
})

test_that("the risk of a candidate is the mean loss of its held-out decisions", {
  d <- wavy(120, 3)
  fit <- hgsvm(d$x, d$y, steps = 5, seed = 1)
  half <- fit$label[["half"]]
  expect_equal(fit$architectures$cv.risk[fit$architectures$chosen], fit$cv.error / half^2)
  classes <- factor(d$y > 0)
  fit <- hgsvm(d$x, classes, loss = "hinge", anneal = 5, seed = 1)
  t <- pmin(pmax(fit$cv$decision[, 1], -1), 1)
  expect_equal(min(fit$architectures$cv.risk, na.rm = TRUE),
               mean(pmax(1 - t * ifelse(classes == "TRUE", 1, -1), 0)))
  expect_equal(fit$cv.error, mean((t > 0) != (classes == "TRUE")))
  w <- rep(1:3, 40)
  weighted <- hgsvm(d$x, d$y, "inhomogeneous", steps = 5, weights = w, seed = 1)
  p <- pmin(pmax(weighted$cv$decision, min(d$y)), max(d$y))
  expect_equal(weighted$cv.error, sum(w * (d$y - p)^2) / sum(w))
})

test_that("every loss, class weights, probabilities and rows of weight 0 have honest values", {
  d <- wavy(120, 4)
  levels <- hgsvm(d$x, d$y, "inhomogeneous", loss = "pinball", tau = c(0.2, 0.8), anneal = 5,
                  seed = 1)
  expect_identical(dim(levels$cv$decision), c(120L, 2L))
  expect_equal(sum(!is.na(levels$architectures$cv.risk)), 2)
  pairs <- rbind(c(1, 1), c(1, 5))
  colnames(pairs) <- c("FALSE", "TRUE")
  several <- hgsvm(d$x, factor(d$y > 0), "inhomogeneous", steps = 5, class.weights = pairs,
                   seed = 1)
  expect_identical(dim(several$cv$decision), c(120L, 2L))
  expect_false(is.na(several$cv.error))
  w <- rep(c(1, 1, 0), 40)
  some <- hgsvm(d$x, factor(d$y > 0), "inhomogeneous", steps = 5, weights = w, probability = TRUE,
                seed = 1)
  used <- hgsvm(d$x[w > 0, ], factor(d$y > 0)[w > 0], "inhomogeneous", steps = 5,
                probability = TRUE, seed = 1)
  expect_identical(which(is.na(some$cv$decision[, 1])), which(w == 0))
  expect_equal(some$cv$decision[w > 0, 1], used$cv$decision[, 1])
  expect_equal(predict(some, d$x, type = "prob"), predict(used, d$x, type = "prob"))
  rare <- factor(c(rep(c("a", "b"), 20), "c"))
  x <- cbind(as.integer(rare), seq_along(rare))
  expect_warning(fit <- hgsvm(x, rare, steps = 5, seed = 1), "single observation")
  expect_identical(dim(fit$cv$decision), c(41L, 3L))
})

test_that("intervals and probabilities keep what they promise", {
  skip_if_not_installed("mlbench")
  set.seed(1)
  draw <- function(n) mlbench::mlbench.friedman1(n, sd = 2)
  train <- draw(200)
  new <- draw(1000)
  fit <- hgsvm(train$x, train$y, steps = 100, seed = 1)
  p <- predict(fit, new$x, interval = "conformal", level = 0.9)
  expect_gt(mean(p[, "lwr"] <= new$y & new$y <= p[, "upr"]), 0.87)
  expect_lt(mean(p[, "lwr"] <= new$y & new$y <= p[, "upr"]), 0.97)
})

test_that("many rows: as many folds as hold enough of them", {
  d <- wavy(2600, 5, 3)
  fit <- hgsvm(d$x, d$y, "inhomogeneous", steps = 3, learn.rows = 100, gamma = 1, lambda = 1e-2,
               seed = 1)
  expect_identical(sum(!is.na(fit$cv$decision)), 1040L)
  expect_equal(fit$cv.error, 0.01, tolerance = 0.2)
})

# ---- the candidates ------------------------------------------------------------------------------

test_that("the kernels that learning begins with are candidates", {
  d <- wavy(60, 6, 10)
  fit <- hgsvm(d$x, d$y, steps = 5, seed = 1)
  expect_identical(fit$architectures$learned, rep(c(TRUE, FALSE), c(7, 1)))
  expect_identical(fit$architectures$name[8], "inhomogeneous, unlearned")
  given <- hgsvm(d$x, d$y, list(a = hg_inhomogeneous(10), b = hg_groups(rep(1:2, 5))), steps = 5,
                 seed = 1)
  expect_identical(given$architectures$name, c("a", "b", "a, unlearned", "b, unlearned"))
  expect_false(anyNA(given$architectures$cv.risk[3:4]))
  # The classes differ in every column by the same: equal weights are best, and vpsvm() has them.
  set.seed(1)
  y <- factor(rep(1:2, 40))
  x <- matrix(rnorm(80 * 20), 80) + ifelse(y == 1, 0.6, -0.6)
  plain <- hgsvm(x, y, seed = 1)
  expect_identical(plain$architectures$name[plain$architectures$chosen],
                   "inhomogeneous, unlearned")
  expect_equal(coef(plain), rep(1, 20), ignore_attr = TRUE)
  expect_equal(predict(plain, x, type = "decision"),
               predict(vpsvm(x, y, seed = 1), x, type = "decision"), tolerance = 1e-3)
})

# ---- what must not matter ------------------------------------------------------------------------

test_that("a level whose column is called like another one is no obstacle", {
  d <- wavy(60, 19, 3)
  two <- data.frame(V1 = factor(rep(0:1, 30)), V10 = d$x[, 1], V11 = d$x[, 2], y = d$y)
  fit <- hgsvm(y ~ ., two, "inhomogeneous", steps = 5, gamma = 1, lambda = 1e-3, seed = 1)
  expect_length(coef(fit), 4)
  again <- vpsvm(y ~ ., two, kernel = fit$hierarchy, gamma = 1, lambda = 1e-3)
  expect_equal(predict(again, two), predict(fit, two), tolerance = 1e-5)
})

test_that("the order of the columns changes nothing", {
  d <- wavy(100, 7)
  d$x <- cbind(d$x, twin = d$x[, "a"], u = rep(0:1, 50), v = rep(1:0, 50))
  new <- wavy(50, 8)$x
  new <- cbind(new, twin = new[, "a"], u = 1, v = 0)
  at <- c(9, 3, 1, 8, 6, 2, 7, 5, 4)
  for (optimizer in c("adam", "anneal")) {
    a <- short(d$x, d$y, optimizer = optimizer)
    b <- short(d$x[, at], d$y, optimizer = optimizer)
    expect_identical(b$architectures[c("name", "chosen")], a$architectures[c("name", "chosen")])
    expect_equal(predict(b, new[, at]), predict(a, new), tolerance = 1e-5)
    expect_equal(importance(b)[colnames(d$x)], importance(a), tolerance = 1e-6)
    unnamed <- short(unname(d$x)[, at], d$y, optimizer = optimizer)
    expect_equal(predict(unnamed, unname(new)[, at]), predict(a, new), tolerance = 1e-5)
  }
})

test_that("neither does it in an architecture that was given, nor the order of its nodes", {
  d <- wavy(100, 9)
  new <- wavy(50, 10)$x
  one <- hg_kernel(list(c("a", "b"), c("c", "d", "a"), list("e", "f")))
  two <- hg_kernel(list(list("f", "e"), c("a", "d", "c"), c("b", "a")))
  for (optimizer in c("adam", "anneal")) {
    a <- short(d$x, d$y, one, optimizer = optimizer)
    b <- short(d$x[, 6:1], d$y, two, optimizer = optimizer)
    expect_equal(predict(b, new[, 6:1]), predict(a, new), tolerance = 1e-5)
    expect_identical(a$hierarchy$nodes[[2]]$columns, c(3L, 4L, 1L))
    # a, d, c and c, d, a
    expect_equal(b$hierarchy$nodes[[2]]$weights, rev(a$hierarchy$nodes[[2]]$weights),
                 tolerance = 1e-6)
    expect_equal(b$hierarchy$weights, rev(a$hierarchy$weights), tolerance = 1e-6)
  }
})

test_that("neither do shift, scale and sign of the response and the units of the columns", {
  d <- wavy(100, 11)
  new <- wavy(50, 12)$x
  p <- predict(short(d$x, d$y), new)
  expect_equal(predict(short(d$x, d$y + 1e4), new) - 1e4, p, tolerance = 1e-6)
  expect_equal(predict(short(d$x, d$y * 1e3 / 7), new) * 7 / 1e3, p, tolerance = 1e-6)
  expect_equal(-predict(short(d$x, -d$y), new), p, tolerance = 1e-6)
  unit <- c(1e-6, 0.3048, 3, 1 / 7, 1e5, 2)
  move <- function(x) sweep(sweep(x, 2, unit, "*"), 2, c(1, 0, -3, 7, 0.1, 1e3), "+")
  expect_equal(predict(short(move(d$x), d$y), move(new)), p, tolerance = 1e-5)
})

test_that("neither does it for the Boston data", {
  skip_if_not_installed("mlbench")
  boston <- get_mlbench("BostonHousing")
  set.seed(1)
  i <- sample(506, 250)
  fit <- function(d) hgsvm(medv ~ ., d[i, ], steps = 60, seed = 1)
  p <- predict(fit(boston), boston)
  higher <- transform(boston, medv = medv + 1e4)
  expect_equal(predict(fit(higher), boston) - 1e4, p, tolerance = 1e-6)
  other <- boston[c(14, 5:13, 4:1)]
  expect_equal(predict(fit(other), boston), p, tolerance = 1e-5)
})

test_that("neither does the order of two classes", {
  d <- wavy(100, 13)
  y <- factor(d$y > 0)
  new <- wavy(50, 14)$x
  for (loss in c("least.squares", "hinge")) {
    optimizer <- if (loss == "hinge") "anneal" else "adam"
    a <- short(d$x, y, loss = loss, optimizer = optimizer)
    b <- short(d$x, factor(y, rev(levels(y))), loss = loss, optimizer = optimizer)
    expect_identical(as.character(predict(b, new)), as.character(predict(a, new)))
    expect_identical(b$architectures$name[b$architectures$chosen],
                     a$architectures$name[a$architectures$chosen])
  }
})

# ---- what is given -------------------------------------------------------------------------------

test_that('preset = "paper" is the algorithm of the paper', {
  settings <- function(...) {
    all <- utils::modifyList(formals(hgsvm.default), list(...), keep.null = TRUE)
    all <- all[setdiff(names(all), c("x", "y", "weights", "na.action", "..."))]
    hgsvm_settings(lapply(all, eval, environment(hgsvm)), FALSE)
  }
  paper <- settings(preset = "paper")
  expect_identical(paper$optimizer, "anneal")
  expect_equal(unlist(paper[c("rounds", "cycles", "anneal", "descent")], use.names = FALSE),
               c(10, 15, 1000, 500, 10))
  expect_identical(settings()$optimizer, "adam")
  expect_identical(settings(loss = "hinge")$optimizer, "anneal")
  adam <- settings(preset = "paper", optimizer = "adam")
  expect_identical(adam$optimizer, "adam")
  expect_equal(adam$rounds, 3)
  d <- wavy(40, 15)
  fit <- hgsvm(d$x, d$y, "inhomogeneous", preset = "paper", rounds = 1, cycles = 2, anneal = 5,
               seed = 1)
  expect_identical(fit$optimizer, "anneal")
  expect_equal(fit$learning[[1]]$proposals, 10)
})

test_that("a given penalty holds for learning", {
  d <- wavy(90, 16)
  train <- 40
  for (optimizer in c("adam", "lbfgs", "anneal")) {
    learned <- function(...) {
      fit <- short(d$x, d$y, "inhomogeneous", optimizer = optimizer, ..., steps = 40)
      fit$learning[[1]]
    }
    for (lambda in c(1e-1, 1e-3)) {
      expect_equal(learned(lambda = lambda)$shift, lambda * train)
      expect_equal(learned(cost = 1 / (2 * lambda * 90))$shift, lambda * train)
    }
    between <- learned(lambda = c(0.01, 0.5))$shift / train
    expect_gte(between, 0.01 * (1 - 1e-9))
    expect_lte(between, 0.5 * (1 + 1e-9))
    expect_false(isTRUE(all.equal(learned(lambda = 1)$weights, learned(lambda = 1e-3)$weights)))
  }
})

test_that("a given width holds for learning and stands beside the weights", {
  d <- wavy(90, 17)
  new <- wavy(50, 18)$x
  kernel <- function(factor) with_gamma(hg_groups(rep(1:2, 3)), factor)
  growth <- function(kernel) sum(leaf_weights(kernel, 6L))
  for (optimizer in c("adam", "lbfgs", "anneal")) {
    fit <- function(gamma, kernel) {
      short(d$x, d$y, kernel, optimizer = optimizer, gamma = gamma, lambda = 1e-3, descent = 0)
    }
    narrow <- fit(4, kernel(1))
    expect_equal(narrow$learning[[1]]$gamma, 4)
    # The same kernel written another way.
    same <- fit(1, kernel(4))
    expect_identical(narrow$architectures$chosen, same$architectures$chosen)
    expect_equal(predict(narrow, new), predict(same, new), tolerance = 1e-3)
    expect_equal(4 * growth(narrow$hierarchy), growth(same$hierarchy), tolerance = 1e-2)
    expect_true(short(d$x, d$y, "inhomogeneous", optimizer = optimizer,
                      gamma = c(0.3, 3))$learning[[1]]$gamma %in% c(0.3, 3))
  }
})
