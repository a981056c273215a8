# Examples of what must not matter, each at the settings of a user who gives none. What holds for
# every fitter is in test-contract-invariance.R.

reverse <- with_levels_reversed
label <- function(m, x) as.character(predict(m, x))

test_that("the levels of mlbench's Glass in reverse order change no label", {
  skip_if_not_installed("mlbench")
  glass <- get_mlbench("Glass")
  set.seed(1)
  train <- sample(214, 140)
  x <- glass[-10]
  for (fit in list(
    function(y) vpsvm(x[train, ], y, seed = 1),
    function(y) vpsvm(x[train, ], y, class.weights = "inverse", seed = 1),
    function(y) vpsvm(x[train, ], y, max.cell = 60, seed = 1),
    function(y) kbp(x[train, ], y, seed = 1),
    function(y) kos(x[train, ], y, folds = 5, max.class = 20, seed = 1),
    function(y) rmekl(x[train, ], y, c = c(0.25, 4), lambda = 1, seed = 1),
    function(y) rmekl(x[train, ], y, basis = "random", c = 1, lambda = 1, seed = 1)
  )) {
    a <- suppressWarnings(fit(glass$Type[train]))
    b <- suppressWarnings(fit(reverse(glass$Type[train])))
    expect_identical(label(b, x[-train, ]), label(a, x[-train, ]))
    expect_equal(b$cv.error, a$cv.error)
  }
  # Where all classes are clipped to -1 the first level is the label.
  hinge <- function(y) vpsvm(x[train, ], y, loss = "hinge", seed = 1)
  a <- hinge(glass$Type[train])
  b <- hinge(reverse(glass$Type[train]))
  decision <- predict(a, x[-train, ], type = "decision")
  tie <- rowSums(decision == apply(decision, 1L, max)) > 1
  expect_lt(mean(tie), 0.05)
  expect_identical(label(b, x[-train, ])[!tie], label(a, x[-train, ])[!tie])
})

test_that("a search over many rows and classes draws the same whatever the order of the levels", {
  set.seed(5)
  y <- factor(sample(letters[1:6], 700, TRUE))
  x <- cbind(cos(as.integer(y)), sin(as.integer(y))) + rnorm(1400, sd = 0.4)
  a <- vpsvm(x, y, seed = 1)
  b <- vpsvm(x, reverse(y), seed = 1)
  expect_identical(b[c("gamma", "lambda")], a[c("gamma", "lambda")])
  expect_same_answers(a, b, x)
  # Any order, not only the reverse one, and levels that no row has.
  c <- vpsvm(x, factor(y, levels = c("z", "d", "a", "f", "c", "b", "e", "y")), seed = 1)
  expect_same_answers(a, c, x)
})

test_that("pairs of classes vote the same but for equal numbers of votes", {
  for (loss in c("hinge", "least.squares")) {
    fit <- function(y) vpsvm(iris[1:4], y, loss = loss, multiclass = "ovo", seed = 1)
    a <- fit(iris$Species)
    b <- fit(reverse(iris$Species))
    expect_same_answers(a, b, iris[1:4])
    votes <- predict(a, iris[1:4], type = "votes")
    expect_equal(predict(b, iris[1:4], type = "votes")[, colnames(votes)], votes)
  }
})

test_that("probabilities, conformal sets and votes follow the names of the classes", {
  rows <- seq(1, 150, by = 2)
  fit <- function(y) vpsvm(iris[rows, 1:4], y, probability = TRUE, seed = 1)
  a <- fit(iris$Species[rows])
  b <- fit(reverse(iris$Species[rows]))
  classes <- levels(iris$Species)
  for (args in list(list(type = "prob"), list(type = "votes"), list(interval = "conformal"))) {
    of <- function(m) do.call(predict, c(list(m, iris[-rows, 1:4]), args))[, classes]
    expect_equal(of(b), of(a), tolerance = 1e-5)
  }
})

test_that("a matrix of class weights and a formula give the same", {
  d <- two_classes(60)
  w <- rbind(c(low = 1, high = 3), c(low = 2, high = 1))
  fit <- function(y, w) vpsvm(y ~ a + b, data.frame(y, d[-1]), class.weights = w, seed = 1)
  a <- predict(fit(d$y, w), d)
  b <- predict(fit(reverse(d$y), w[, 2:1]), d)
  for (j in 1:2) expect_identical(as.character(b[[j]]), as.character(a[[j]]))
})

test_that("y and -y: the tube's machine on airquality, race and full search", {
  d <- na.omit(airquality)
  x <- d[c("Solar.R", "Wind", "Temp")]
  for (seed in 1:2) {
    for (search in c("race", "full")) {
      fit <- function(y, x) vpsvm(x, y, loss = "epsilon", search = search, seed = seed)
      a <- fit(d$Ozone, x)
      expect_equal(predict(fit(-d$Ozone, x), x), -predict(a, x), tolerance = 1e-10)
      if (search == "full") next
      expect_equal(predict(fit(d$Ozone, x[3:1]), x), predict(a, x), tolerance = 1e-3)
      expect_equal(predict(fit(1e4 - 2 * d$Ozone, x), x), 1e4 - 2 * predict(a, x),
                   tolerance = 1e-3)
    }
  }
})

test_that("y and -y: levels become the levels from the other end", {
  d <- na.omit(airquality)[c(1, 3, 4)]
  for (loss in c("pinball", "expectile")) {
    fit <- function(y, tau) vpsvm(d[-1], y, loss = loss, tau = tau, seed = 1)
    a <- predict(fit(d$Ozone, c(0.1, 0.5, 0.8)), d)
    b <- predict(fit(-d$Ozone, c(0.2, 0.5, 0.9)), d)
    expect_lt(max(abs(b[, 3:1] + a)), 0.02 * sd(d$Ozone))
  }
})

test_that("a value that comes to 0 at the end of Newton's step keeps its side", {
  # With one-sided slopes y and -y take the same steps, to the last bit.
  set.seed(6)
  x <- cbind(runif(150))
  y <- sin(9 * x[, 1]) + rnorm(150, sd = 0.2)
  for (lambda in 10^-(1:5)) {
    fit <- function(y) vpsvm(x, y, loss = "epsilon", epsilon = 0.3, gamma = 5, lambda = lambda)
    expect_identical(fit(-y)$coef, -fit(y)$coef)
  }
})

test_that("equally far rows are centres and cells whatever the order and unit of the columns", {
  x <- as.matrix(expand.grid(a = 1:7 / 10, b = 1:7 / 10, c = 1:3 / 10))
  set.seed(7)
  y <- rnorm(nrow(x))
  sparse <- as_sparse_matrix(x)
  for (args in list(list(cells = 5), list(radius = 0.8), list(max.cell = 40))) {
    cells <- function(x) {
      do.call(vpsvm, c(list(x, y, gamma = 1, lambda = 0.1, seed = 1), args))$cell
    }
    plain <- cells(x)
    expect_identical(cells(x[, 3:1]), plain)
    expect_identical(cells(sweep(sweep(x, 2, c(3, 0.7, -200), "*"), 2, 1:3, "+")), plain)
    expect_identical(cells(sparse[, c(2, 3, 1)]), cells(sparse))
  }
})

test_that("kos() cuts classes alike whatever the order and sign of the columns", {
  set.seed(8)
  d <- two_classes(120)
  of <- function(x) predict(kos(x, d$y, gamma = 1, max.class = 17), x, type = "decision")
  x <- d[-1]
  expect_equal(of(x[3:1]), of(x), tolerance = 1e-8)
  expect_equal(of(-2 * x), of(x), tolerance = 1e-8)
  same <- data.frame(a = rep(0:1, each = 20))
  expect_length(predict(kos(same, factor(rep(1:2, each = 20)), gamma = 1, max.class = 5), same), 40)
})

test_that("a sample of the rows for gamma_dmm() does not follow the order of the levels", {
  set.seed(9)
  y <- factor(sample(c("a", "b", "c"), 200, TRUE))
  x <- matrix(rnorm(400), 200) + as.integer(y)
  for (max.n in c(20, 100)) {
    expect_equal(as.numeric(gamma_dmm(x, reverse(y), max.n = max.n, seed = 1)),
                 as.numeric(gamma_dmm(x, y, max.n = max.n, seed = 1)))
  }
})
