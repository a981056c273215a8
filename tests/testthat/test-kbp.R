# The paths of kernel basis pursuit against naive R, glmnet and lars, and the optimality conditions.

given <- function(K, y, ...) kbp(cbind(x = seq_along(y)), y, kernels = K, stop = "none", ...)

random_dictionary <- function(seed) {
  set.seed(seed)
  n <- sample(8:40, 1)
  p <- sample(3:60, 1)
  K <- matrix(rnorm(n * p), n)
  if (seed %% 3 == 0) K <- K[, sample(p, p, TRUE), drop = FALSE]            # duplicated
  if (seed %% 4 == 0) K <- K %*% matrix(rnorm(p * 3), p) %*% matrix(rnorm(3 * p), 3)  # rank 3
  if (seed %% 5 == 0) K <- round(K)                                         # ties
  list(K = K, y = drop(K[, 1:2] %*% c(2, -1)) + rnorm(n))
}

test_that("the optimality conditions of the lasso hold on 200 random dictionaries", {
  worst <- 0
  for (seed in 1:200) {
    d <- random_dictionary(seed)
    fit <- given(d$K, d$y)
    keep <- apply(d$K, 2, sd) > 1e-9
    Z <- ref_standardise(d$K[, keep, drop = FALSE])$Z
    beta <- kbp_path_matrix(fit, ncol(d$K))[, keep, drop = FALSE]
    points <- fit$path[[1]]$points
    c <- crossprod(Z, d$y - mean(d$y) - Z %*% t(beta))
    level <- points$correlation
    scale <- level[1]
    above <- max(sweep(abs(c), 2, level))
    at_level <- max(abs(c - sweep(sign(t(beta)), 2, level, "*"))[t(beta) != 0], 0)
    worst <- max(worst, above / scale, at_level / scale)
    expect_equal(points$l1, rowSums(abs(beta)), tolerance = 1e-9)
  }
  expect_lt(worst, 1e-7)
})

test_that("the path is the naive one", {
  for (seed in 1:5) {
    set.seed(seed)
    K <- matrix(rnorm(30 * 12), 30)
    y <- K[, 1] - K[, 2] + rnorm(30)
    Z <- ref_standardise(K)$Z
    for (method in c("lasso", "lar")) {
      path <- kbp_path_matrix(given(K, y, method = method), 12)
      expect_equal(path, ref_lars(Z, y - mean(y), method == "lasso"), tolerance = 1e-8)
    }
    for (method in c("mp", "omp", "prefit")) {
      path <- kbp_path_matrix(given(K, y, method = method, max.steps = 6), 12)
      expect_equal(path, ref_pursuit(Z, y - mean(y), method, 6), tolerance = 1e-8)
    }
  }
})

test_that("the path is that of lars, duplicated columns and leaving sources included (D68)", {
  lars <- from_package("lars", "lars")
  for (seed in 1:10) {
    set.seed(seed)
    p <- c(15, 60)[1 + seed %% 2]
    K <- matrix(rnorm(40 * p), 40) %*% matrix(runif(p * p), p)
    if (seed > 7) K <- cbind(K, K[, 1:3])
    y <- K[, 1] + rnorm(40)
    ours <- kbp_path_matrix(given(K, y), ncol(K))
    theirs <- lars(scale(K), y, type = "lasso", normalize = FALSE, eps = 1e-12)
    expect_equal(ours, unname(theirs$beta), tolerance = 1e-6, ignore_attr = TRUE)
  }
})

test_that("the coefficients at the breakpoints are those of glmnet", {
  glmnet <- from_package("glmnet", "glmnet")
  set.seed(1)
  K <- matrix(rnorm(60 * 20), 60)
  y <- K[, 1] - K[, 5] + rnorm(60)
  fit <- given(K, y)
  points <- fit$path[[1]]$points
  inner <- which(points$correlation > 1e-3 * points$correlation[1])
  theirs <- glmnet(scale(K), y, lambda = points$correlation[inner] / 60, standardize = FALSE,
                   thresh = 1e-22, maxit = 1e7)
  expect_equal(kbp_path_matrix(fit, 20)[inner, ], unname(t(as.matrix(theirs$beta))),
               tolerance = 1e-6)
})

test_that("the dictionary is the kernels side by side", {
  d <- cosexp_data(50)
  fit <- kbp(y ~ t, d, kernels = c("radial", "laplace", "linear", "polynomial"),
             bandwidths = c(0.3, 1), stop = "none", max.steps = 40)
  x <- scale(d$t)
  dist <- abs(outer(x[, 1], x[, 1], "-"))
  K <- cbind(exp(-dist^2 / 0.18), exp(-dist^2 / 2), exp(-dist / 0.3), exp(-dist), x %*% t(x),
             (x %*% t(x))^3)
  expect_equal(fit$size, 300)
  same <- kbp(y ~ t, d, kernels = K, stop = "none", max.steps = 40)
  expect_equal(fit$path[[1]]$points[1:4], same$path[[1]]$points[1:4], tolerance = 1e-8)
  expect_equal(fitted(fit), fitted(same), tolerance = 1e-8)
  by_list <- kbp(y ~ t, d, kernels = list(list(kernel = "radial", bandwidths = c(0.3, 1)),
                                          list(kernel = "laplace", gamma = 1 / c(0.3, 1)),
                                          function(a, b) a %*% t(b), "polynomial"),
                 stop = "none", max.steps = 40)
  expect_equal(by_list$path[[1]]$points[1:4], fit$path[[1]]$points[1:4], tolerance = 1e-8)
  new <- data.frame(t = c(0.1, 1.7))
  expect_equal(predict(by_list, new), predict(fit, new), tolerance = 1e-8)
})

test_that("sources may see some of the columns only", {
  r <- regression_data()
  both <- kbp(t ~ u + v, r, kernels = list(list("radial", "u"), list("linear", 2)),
              bandwidths = 0.5, stop = "none", max.steps = 15)
  expect_identical(both$blocks[[1]]$columns, 1L)
  z <- scale(as.matrix(r[1:2]))
  K <- cbind(exp(-2 * outer(z[, 1], z[, 1], "-")^2), outer(z[, 2], z[, 2]))
  same <- kbp(t ~ u + v, r, kernels = K, stop = "none", max.steps = 15)
  expect_equal(fitted(both), fitted(same), tolerance = 1e-8)
  wild <- transform(r, v = v + 100)
  only_u <- kbp(t ~ u + v, r, kernels = list(kernel = "radial", columns = "u"), bandwidths = 0.5,
                stop = "none", max.steps = 5)
  expect_identical(predict(only_u, wild), predict(only_u, r))
})

test_that("a function sees its columns by name, in the order asked for", {
  r <- regression_data()
  seen <- NULL
  f <- function(a, b) {
    seen <<- colnames(a)
    exp(-abs(outer(a[, 1], b[, 1], "-")))
  }
  fit <- kbp(t ~ u + v, r, kernels = list("radial", list(f, c("v", "u"))), bandwidths = 1:3,
             bound = 0.5)
  expect_identical(seen, c("v", "u"))
  z <- scale(r$v)[, 1]
  same <- kbp(t ~ u + v, r, kernels = list("radial", exp(-abs(outer(z, z, "-")))),
              bandwidths = 1:3, bound = 0.5)
  expect_equal(fitted(fit), fitted(same))
  expect_equal(predict(fit, r[1, ]), fitted(fit)[1])
  expect_identical(predict(fit, r[0, ]), numeric())
  wrong <- fit
  wrong$blocks[[4]][["function"]] <- function(a, b) 1
  expect_flexkern_error(predict(wrong, r), "`kernels\\[\\[2\\]\\]` must return a matrix of 60 x")
})

test_that("several values of gamma are as many kernels", {
  r <- regression_data()
  fit <- function(...) fitted(kbp(t ~ u, r, kernels = list(...), bound = 0.4))
  expect_equal(
    fit(list(kernel = "polynomial", gamma = c(0.1, 1)), list(kernel = "radial", gamma = 1:2)),
    fit(list(kernel = "polynomial", gamma = 0.1), list(kernel = "polynomial", gamma = 1),
        list(kernel = "radial", bandwidths = 1 / sqrt(2 * 1:2)))
  )
})

test_that("functions and hg_kernel() objects predict within the budget", {
  d <- cosexp_data(60)
  new <- data.frame(t = seq(0, 2, length.out = 2000))
  for (kernels in list(hg_kernel("t"), function(a, b) exp(-abs(outer(a[, 1], b[, 1], "-"))))) {
    fit <- kbp(y ~ t, d, kernels, bound = 1)
    expect_equal(predict(fit, new, memory = 4e5), predict(fit, new))
  }
})

test_that("a path ends where its sources are dependent but for rounding", {
  for (n in c(100, 200)) for (width in c(0.25, 0.5, 1)) {
    fit <- kbp(y ~ t, cosexp_data(n), bandwidths = width, stop = "none")
    points <- fit$path[[1]]$points
    expect_true(all(is.finite(as.matrix(points[c("l1", "correlation", "loss")]))))
    expect_lt(min(points$correlation), 1e-4 * points$correlation[1])
  }
})

test_that("automatic bandwidths: key distance, ratio, half the diameter", {
  d <- cosexp_data(60)
  x <- scale(d$t)
  for (key in c("median", "min")) for (series in c("paper", "auto")) {
    fit <- kbp(y ~ t, d, key = key, bandwidths = series, stop = "none", max.steps = 1)
    width <- vapply(fit$blocks, `[[`, 0, "bandwidth")
    first <- ref_key_bandwidth(x, key) * if (series == "paper") 1 else 3^1.5
    ratio <- if (series == "paper") 3 else sqrt(3)
    expect_equal(width[1], first, tolerance = 1e-4)
    expect_equal(diff(log(width)), rep(log(ratio), length(width) - 1))
    half <- diff(range(x)) / 2
    expect_true(max(width) >= half && max(width) < ratio * half)
  }
})

test_that("places on the path: steps, bounds and fractions agree", {
  fit <- kbp(y ~ t, cosexp_data(), stop = "none", max.steps = 60)
  points <- fit$path[[1]]$points
  for (k in c(0, 7, 60)) {
    by_step <- coef(fit, s = k, standardized = TRUE)
    expect_equal(coef(fit, s = points$l1[k + 1], mode = "l1", standardized = TRUE), by_step,
                 ignore_attr = TRUE)
    share <- points$l1[k + 1] / max(points$l1)
    expect_equal(coef(fit, s = share, mode = "fraction", standardized = TRUE), by_step,
                 ignore_attr = TRUE)
  }
  half <- coef(fit, s = 7.5, standardized = TRUE)
  expect_equal(half, (coef(fit, s = 7, standardized = TRUE) +
                        coef(fit, s = 8, standardized = TRUE)) / 2, ignore_attr = TRUE)
  bound <- 0.4 * max(points$l1)
  at_bound <- coef(fit, s = bound, mode = "l1", standardized = TRUE)
  expect_equal(sum(abs(at_bound[-1])), bound)
  stopped <- kbp(y ~ t, cosexp_data(), bound = bound)
  expect_equal(predict(stopped, cosexp_data()), predict(fit, cosexp_data(), s = bound, mode = "l1"))
  expect_identical(predict(fit, cosexp_data(), s = 60), fitted(fit))
  expect_equal(coef(fit)[-1, ], drop(fit$coef), ignore_attr = TRUE)
})

test_that("a search goes on until some bound is decided", {
  set.seed(1)
  t <- runif(60, 0, 2)
  y <- cos(exp(1.8 * t)) + rnorm(60, sd = 0.2)
  fit <- expect_no_warning(kbp(cbind(t), y, stop = "loss", seed = 1))
  expect_gt(nrow(fit$grid[[1]]), 0)
  # rough enough that the fall of the loss over five steps stays above its largest bound
  rough <- kbp(cbind(t), sign(sin(60 * t)), stop = "loss", bandwidths = 0.02, seed = 1)
  expect_gt(nrow(rough$grid[[1]]), 0)
})

test_that("cross-validation is the paths of the folds at every bound", {
  d <- cosexp_data(60)
  bounds <- c(0.2, 1, 3)
  fit <- kbp(y ~ t, d, bandwidths = c(0.1, 0.5), bound = bounds, seed = 4)
  fold <- fit$fold
  error <- vapply(bounds, function(b) {
    p <- numeric(60)
    for (f in 1:5) {
      center <- mean(d$t)
      scaled <- transform(d, t = (t - center) / sd(d$t))
      m <- kbp(y ~ t, scaled[fold != f, ], bandwidths = c(0.1, 0.5), bound = b, scale = FALSE)
      p[fold == f] <- predict(m, scaled[fold == f, ])
    }
    mean((p - d$y)^2)
  }, 0)
  expect_equal(fit$grid[[1]]$bound, bounds)
  expect_equal(fit$grid[[1]]$cv.error, error, tolerance = 1e-6)
  expect_equal(fit$bound, bounds[which.min(error)])
  expect_equal(fit$cv.error, min(error), tolerance = 1e-6)
})

test_that("a fold goes on from a first, shallow minimum", {
  signal <- function(t) 4 * sin(4 * pi * t) - sign(t - .3) - sign(.72 - t)
  set.seed(1005)
  t <- runif(200)
  new <- runif(1000)
  fit <- kbp(cbind(t), signal(t) + rnorm(200, sd = 2.97), seed = 1)
  expect_lt(mean((predict(fit, cbind(t = new)) - signal(new))^2), 1.5)
})

test_that("the rules stop where they say", {
  d <- cosexp_data(150)
  n <- 150
  fit <- function(...) kbp(y ~ t, d, seed = 1, ...)
  end <- function(m) tail(m$path[[1]]$points, 1)
  expect_lte(end(fit(stop = "cv.nu", bound = 0.1))$df, 15)
  expect_equal(end(fit(stop = "cv.nu", bound = 0.1))$df, 15)
  random <- fit(stop = "random")
  expect_gt(end(random)$traps, 0)
  expect_true(all(head(random$path[[1]]$points$traps, -1) == 0))
  more <- fit(stop = "random", bound = 5)
  expect_gt(nrow(more$path[[1]]$points), nrow(random$path[[1]]$points))
  uniform <- fit(stop = "random", trap.type = "uniform", traps = 3)
  expect_gt(end(uniform)$traps, 0)
  trap <- fit(stop = "trap")
  expect_gt(end(trap)$traps, 3)
  white <- fit(stop = "whiteness")
  r <- residuals(white)[order(d$t)]
  test <- Box.test(r, 20, "Ljung-Box")
  expect_gte(test$p.value, 0.05)
  before <- predict(white, d, s = nrow(white$path[[1]]$points) - 2)
  expect_lt(Box.test((d$y - before)[order(d$t)], 20, "Ljung-Box")$p.value, 0.05)
  loss <- fit(stop = "loss", bound = 0.01)$path[[1]]$points$loss
  fall <- -diff(loss, 5) / loss[1]
  expect_lt(tail(fall, 1), 0.01)
  expect_true(all(head(fall, -1) >= 0.01))
})

test_that("traps of the user's own", {
  d <- cosexp_data(80)
  set.seed(3)
  own <- matrix(rnorm(80 * 4), 80)
  a <- kbp(y ~ t, d, stop = "random", traps = own)
  Z <- ref_standardise(own)$Z
  c <- abs(crossprod(Z, residuals(a) - mean(residuals(a))))
  expect_equal(tail(a$path[[1]]$points, 1)$traps,
               sum(c > tail(a$path[[1]]$points, 1)$correlation))
  expect_identical(a$seed, NA_real_)
  one <- function(traps) fitted(kbp(y ~ t, d, stop = "random", traps = traps))
  expect_identical(one(own[, 1]), one(own[, 1, drop = FALSE]))
})

test_that("the last step may go all the way to least squares", {
  d <- cosexp_data(80)
  fit <- kbp(y ~ t, d, stop = "cv.nu", bound = 0.1, last.step = "ols", clip = FALSE)
  live <- which(fit$coef != 0)
  x <- scale(d$t)[, 1]
  K <- vapply(live, function(j) {
    exp(-(x - x[fit$sources$row[j]])^2 / (2 * fit$sources$bandwidth[j]^2))
  }, x)
  expect_equal(fitted(fit), unname(lm(d$y ~ K)$fitted.values), tolerance = 1e-6)
})

test_that("several responses share the dictionary and are as each alone", {
  d <- cosexp_data(60)
  Y <- cbind(one = d$y, two = 5 * sin(3 * d$t))
  fit <- kbp(d["t"], Y, stop = "none", max.steps = 25)
  for (j in 1:2) {
    alone <- kbp(d["t"], Y[, j], stop = "none", max.steps = 25)
    expect_equal(predict(fit, d)[, j], predict(alone, d), ignore_attr = TRUE)
    expect_equal(fit$path[[j]]$points[1:4], alone$path[[1]]$points[1:4])
  }
  expect_identical(colnames(predict(fit, d)), c("one", "two"))
  Y[3, 2] <- NA
  left <- kbp(d["t"], Y, stop = "none", max.steps = 5, na.action = na.omit)
  expect_identical(dim(fitted(left)), c(59L, 2L))
})

test_that("several responses by formula are the columns of a matrix", {
  d <- transform(cosexp_data(60), z = 5 * sin(3 * t))
  d$z[4] <- NA
  fit <- kbp(cbind(y, z) ~ t, d, bandwidths = 0.5, seed = 1, subset = 2:60, na.action = na.exclude)
  kept <- setdiff(2:60, 4)
  same <- kbp(d[kept, "t", drop = FALSE], d[kept, c("y", "z")], bandwidths = 0.5, seed = 1)
  expect_identical(predict(fit, d), predict(same, d))
  expect_identical(which(is.na(fitted(fit)[, "z"])), 3L)
  expect_identical(update(fit, stop = "none", max.steps = 3)$names, c("y", "z"))
})

test_that("classes: -1 and +1, and each against the rest", {
  fit <- kbp(Species ~ ., iris, bandwidths = c(1, 3), bound = 0.6)
  one <- kbp(iris[1:4], 2 * (iris$Species == "virginica") - 1, bandwidths = c(1, 3), bound = 0.6,
             clip = FALSE)
  expect_equal(predict(fit, iris, type = "decision")[, "virginica"], predict(one, iris))
  expect_lt(mean(predict(fit, iris) != iris$Species), 0.1)
  expect_equal(rowSums(predict(fit, iris, type = "votes")), rep(1, 150))
})

test_that("one and two threads, and tiles, give the same bits", {
  r <- regression_data(200)
  fit <- function(...) kbp(t ~ ., r, seed = 1, ...)[c("path", "coef", "grid", "fitted")]
  one <- fit(threads = 1)
  expect_identical(fit(threads = 2), one)
  # 800 sources of 160 rows in single precision are 0.5 MB
  expect_identical(fit(threads = 2, memory = 4e5), one)
})

test_that("given sources: new rows bring their own", {
  d <- cosexp_data(40)
  K <- outer(d$t, 1:6, "^")
  fit <- kbp(y ~ t, d, kernels = list(K, "radial"), bandwidths = 0.5, stop = "none",
             max.steps = 10)
  expect_equal(predict(fit, d[5:9, ], blocks = list(K[5:9, ])), fitted(fit)[5:9])
  expect_flexkern_error(predict(fit, d), "1 matrix of given sources")
  e <- d
  e$t[2] <- NA
  expect_identical(which(is.na(predict(fit, e, blocks = K))), 2L)
})

test_that("rows of weight 0 are as good as left out, for function kernels too", {
  d <- cosexp_data(40)
  w <- rep(c(1, 0, 1, 1), 10)
  f <- function(a, b) exp(-abs(outer(a[, 1], b[, 1], "-")))
  for (kernels in list(list(kernel = "radial", bandwidths = 0.3), f)) {
    a <- kbp(d["t"], d$y, kernels, weights = w, bound = 1, scale = FALSE)
    b <- kbp(d[w > 0, "t", drop = FALSE], d$y[w > 0], kernels, bound = 1, scale = FALSE)
    expect_equal(predict(a, d), predict(b, d))
  }
})

test_that("a constant response is an empty path", {
  fit <- kbp(cbind(1:20), rep(4, 20), seed = 1)
  expect_equal(predict(fit, cbind(c(3, 50))), c(4, 4))
  expect_equal(nrow(fit$path[[1]]$points), 1)
})

test_that("the kernels in a legend are told apart", {
  labels <- function(...) flexkern:::block_labels(kbp(y ~ t, cosexp_data(), bound = 1, ...)$blocks)
  expect_identical(labels(bandwidths = c(0.3, 1)), c("0.3", "1"))
  expect_identical(labels(kernels = c("radial", "laplace", "linear"), bandwidths = 0.3),
                   c("radial 0.3", "laplace 0.3", "linear"))
})

test_that("plots of the path, of the search and of the fit", {
  fit <- kbp(y ~ t, cosexp_data(), seed = 1)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (type in c("path", "cv", "fit")) expect_identical(plot(fit, type), fit)
  expect_identical(plot(fit, "fit", s = 3), fit)
  classes <- kbp(Species ~ Sepal.Length, iris, bandwidths = 1, bound = 0.5)
  expect_identical(plot(classes, "fit", response = 2), classes)
  expect_flexkern_error(plot(classes, "cv"), "not cross-validated")
})

test_that("a summary counts the support vectors of each bandwidth", {
  fit <- kbp(y ~ t, cosexp_data(), stop = "none", max.steps = 30)
  s <- summary(fit)
  expect_equal(sum(s$kernels$support), tail(fit$path[[1]]$points$df, 1))
  expect_equal(nrow(s$kernels), length(fit$blocks))
})

test_that("narrow bandwidths are left out where that lowers the cross-validated error by 4 %", {
  set.seed(3)
  t <- runif(120)
  smooth <- 4 * sin(4 * pi * t) + rnorm(120, sd = 3)
  bandwidths <- function(fit) vapply(fit$blocks, `[[`, 0, "bandwidth")
  all <- bandwidths(kbp(cbind(t), smooth, stop = "none", max.steps = 1))
  short <- kbp(cbind(t), smooth, seed = 1, threads = 1)
  expect_lt(length(short$blocks), length(all))
  expect_identical(bandwidths(short), tail(all, length(short$blocks)))
  expect_lt(min(short$grid[[1]]$cv.error),
            0.96 * min(kbp(cbind(t), smooth, bandwidths = all, seed = 1)$grid[[1]]$cv.error))
  set.seed(3)
  rough <- sign(sin(30 * t)) + rnorm(120, sd = 0.05)
  expect_gt(length(kbp(cbind(t), rough, seed = 1)$blocks), length(short$blocks))
})

test_that("numeric predictions stay in the range of the response, unless clip = FALSE", {
  d <- cosexp_data(60)
  d$z <- 10 * d$t
  new <- data.frame(t = seq(-1, 3, length.out = 50))
  one <- function(clip) kbp(y ~ t, d, bandwidths = 3, stop = "none", clip = clip)
  free <- one(FALSE)
  low <- min(d$y)
  high <- max(d$y)
  expect_gt(max(abs(predict(free, new))), 2 * max(abs(d$y)))
  expect_identical(predict(one(TRUE), new), pmin(pmax(predict(free, new), low), high))
  expect_identical(coef(one(TRUE)), coef(free))
  both <- kbp(cbind(y, z) ~ t, d, bandwidths = 3, stop = "none")
  ends <- apply(predict(both, new), 2, range) - apply(d[c("y", "z")], 2, range)
  expect_true(all(ends[1, ] >= 0, ends[2, ] <= 0, ends[, "z"] == 0))
})
