# What goes with several levels or pairs of weights beside the prediction itself.

quick <- function(...) vpsvm(..., gamma = 1, lambda = 0.01)
d <- two_classes(60)
d$a <- d$a / 3
r <- regression_data()
pairs <- rbind(cautious = c(low = 1, high = 8), bold = c(8, 1))

test_that("importance is the increase of the loss of the fit, mean over its answers", {
  shuffled <- function(data, column) {
    set.seed(3)
    data[[column]] <- data[[column]][sample.int(nrow(data))]
    data
  }
  levels <- quick(t ~ u, r, loss = "pinball", tau = c(0.1, 0.9))
  loss <- function(data) {
    sum(vapply(1:2, function(j) {
      mean(ref_loss("pinball", r$t, predict(levels, data)[, j], levels$tau[j]))
    }, 0)) / 2
  }
  expect_equal(importance(levels, r, nperm = 1, seed = 3),
               c(u = loss(shuffled(r, "u")) - loss(r)))
  both <- quick(y ~ a, d, loss = "hinge", class.weights = pairs)
  wrong <- function(data) mean(as.matrix(predict(both, data)) != as.character(d$y))
  expect_equal(importance(both, d, nperm = 1, seed = 3),
               c(a = wrong(shuffled(d, "a")) - wrong(d)))
  tube <- quick(t ~ u, r, loss = "epsilon")
  outside <- function(data) mean(pmax(abs(r$t - predict(tube, data)) - tube$epsilon, 0))
  expect_equal(importance(tube, r, nperm = 1, seed = 3),
               c(u = outside(shuffled(r, "u")) - outside(r)))
})

test_that("pairs of weights and levels have names that tell them apart", {
  named <- function(names) {
    two <- `rownames<-`(pairs, names)
    names(predict(quick(y ~ a, d, loss = "hinge", class.weights = two), d))
  }
  expect_identical(named(NULL), c("low=1,high=8", "low=8,high=1"))
  expect_identical(named(c("", "bold")), c("low=1,high=8", "bold"))
  expect_identical(named(c(NA, "bold")), c("low=1,high=8", "bold"))
  expect_identical(named(c("same", "same")), c("same", "same.1"))
  many <- quick(t ~ u, r, loss = "pinball", tau = (1:99) / 100)
  expect_output(print(many), "tau = 0.01, 0.02, 0.03, ..., 0.99\n", fixed = FALSE)
})

test_that("rows left out by na.exclude are NA for every level and pair of weights", {
  d$b[2] <- r$v[2] <- NA
  both <- quick(y ~ ., d, loss = "hinge", class.weights = pairs, na.action = na.exclude)
  left <- quick(y ~ ., d, loss = "hinge", class.weights = pairs, na.action = na.omit)
  expect_identical(dim(fitted(both)), c(60L, 2L))
  expect_true(all(is.na(fitted(both)[2, ])) && all(is.na(residuals(both)[2, ])))
  expect_identical(as.list(fitted(both)[-2, ]), as.list(fitted(left)))
  levels <- quick(t ~ ., r, loss = "pinball", tau = c(0.1, 0.9), na.action = na.exclude)
  expect_identical(dim(fitted(levels)), c(60L, 2L))
  expect_true(all(is.na(fitted(levels)[2, ])))
})

test_that("rows of weight 0 have their place among the answers", {
  w <- rep(c(0, 1, 1), 20)
  both <- quick(y ~ ., d, loss = "hinge", class.weights = pairs, weights = w)
  expect_identical(fitted(both), predict(both, d))
  levels <- quick(t ~ ., r, loss = "pinball", tau = c(0.1, 0.9), weights = w)
  expect_equal(fitted(levels), predict(levels, r))
})

test_that("e1071::tune() chooses among losses and kernels, which it holds as factors", {
  tune <- from_package("e1071", "tune")
  set.seed(1)
  found <- tune(vpsvm, y ~ ., data = d, gamma = 1, lambda = 0.01,
                ranges = list(loss = c("least.squares", "hinge"), multiclass = c("ovr", "ovo")),
                tunecontrol = e1071::tune.control(cross = 3))
  expect_identical(nrow(found$performances), 4L)
  expect_true(found$best.model$loss %in% c("least.squares", "hinge"))
  kernels <- expand.grid(kernel = c("radial", "linear"))
  expect_identical(vpsvm(y ~ ., d, kernel = kernels$kernel[2], lambda = 0.1)$kernel, "linear")
})
