# The ROC curve and the area under it.

pairwise_auc <- function(f, positive, w = rep(1, length(f))) {
  pairs <- outer(f[positive], f[!positive], ">") + outer(f[positive], f[!positive], "==") / 2
  weights <- outer(w[positive], w[!positive])
  sum(pairs * weights) / sum(weights)
}

d <- two_classes(60)
d$a <- d$a / 3
fit <- vpsvm(y ~ a + b, d, gamma = c(0.3, 1), lambda = c(0.1, 0.01), seed = 1)

test_that("the curve is that of counts at every threshold, its area that of all pairs", {
  curve <- roc_curve(fit)
  f <- fit$cv$decision[, 1]
  high <- d$y == "high"
  rate <- function(rows) vapply(curve$threshold, function(t) mean(f[rows] >= t), 0)
  expect_equal(curve$tpr, rate(high))
  expect_equal(curve$fpr, rate(!high))
  expect_equal(attr(curve, "auc"), pairwise_auc(f, high))
  expect_gt(attr(curve, "auc"), 0.6)
  expect_identical(unlist(curve[nrow(curve), 2:3], use.names = FALSE), c(1, 1))
})

test_that("ties count one half, weights by their size", {
  set.seed(1)
  f <- sample(4, 80, TRUE) / 4
  positive <- runif(80) < f
  w <- rep_len(1:3, 80)
  curve <- flexkern:::one_curve(f, positive, w)
  expect_equal(attr(curve, "auc"), pairwise_auc(f, positive, w))
  expect_identical(nrow(curve), 5L)
  weighted <- vpsvm(y ~ a + b, d, gamma = 1, lambda = 0.1, folds = 3, weights = rep(1:3, 20),
                    seed = 1)
  expect_equal(attr(roc_curve(weighted), "auc"),
               pairwise_auc(weighted$cv$decision[, 1], d$y == "high", rep(1:3, 20)))
})

test_that("new rows: by formula and by x and y, incomplete ones left out", {
  new <- two_classes(200, 5)
  new$a <- new$a / 3
  auc <- attr(roc_curve(fit, new), "auc")
  free <- replace(fit, "clip", FALSE)
  expect_equal(auc, pairwise_auc(predict(free, new, type = "decision")[, 1], new$y == "high"))
  by_xy <- vpsvm(d[c("a", "b")], d$y, gamma = 1, lambda = 0.1)
  new$a[3] <- NA
  y <- replace(as.character(new$y), 5, NA)
  expect_identical(roc_curve(by_xy, new, y), roc_curve(by_xy, new[-c(3, 5), ], y[-c(3, 5)]))
})

test_that("several decision functions have a curve each", {
  two <- flexkern:::one_curve(c(1, 2, 3), c(FALSE, TRUE, TRUE), c(1, 1, 1))
  expect_identical(attr(two, "auc"), 1)
  costs <- rbind(p = c(low = 1, high = 1), q = c(1, 9))
  several <- vpsvm(y ~ a + b, d, loss = "hinge", gamma = 1, lambda = 0.1, folds = 3, seed = 1,
                   class.weights = costs)
  curve <- roc_curve(several)
  positive <- several$cv$y == "high"
  areas <- apply(several$cv$decision, 2, pairwise_auc, positive)
  expect_equal(attr(curve, "auc"), areas)
  expect_identical(unique(curve$curve), c("p", "q"))
  expect_true(drawn(plot(several, "roc")))
})

test_that("the picture shows the area and where the label changes", {
  expect_identical(main_plot(plot(fit, "roc"))$main, "ROC curve, cross-validated")
  expect_identical(main_plot(plot(fit, "roc", newdata = d))$main, "ROC curve, new rows")
  curve <- roc_curve(fit)
  at <- sum(curve$threshold > 0)
  confusion <- table(fit$cv$decision[, 1] > 0, d$y)
  expect_equal(curve$fpr[at], confusion["TRUE", "low"] / sum(d$y == "low"))
  expect_equal(curve$tpr[at], confusion["TRUE", "high"] / sum(d$y == "high"))
})

test_that("what has no ROC curve is said", {
  fixed <- vpsvm(y ~ a + b, d, gamma = 1, lambda = 0.1)
  three <- vpsvm(Species ~ ., iris, gamma = 1, lambda = 0.1)
  curve <- vpsvm(t ~ u, regression_data(), gamma = 1, lambda = 0.1)
  expect_refusals(alist(
    roc_curve(fixed), roc_curve(three), roc_curve(curve), plot(curve, "roc"),
    roc_curve(fit, d[d$y == "high", ]), roc_curve(fit, d["a"]), roc_curve(fit, d[1:2], d$y[1:3])
  ))
})
