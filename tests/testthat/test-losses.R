# Machines under other losses than the squared one.

each_loss <- c("hinge", "pinball", "expectile", "epsilon")
levels_of <- function(loss) if (loss %in% c("pinball", "expectile")) c(0.1, 0.5, 0.9)
quick <- function(...) vpsvm(..., gamma = 1, lambda = 0.01)
search <- function(...) vpsvm(..., gamma = c(0.3, 1, 3), lambda = 10^(-1:-4), seed = 1)
data_of <- function(loss) if (loss == "hinge") two_classes(120) else regression_data(120)
formula_of <- function(loss) if (loss == "hinge") y ~ . else t ~ .

test_that("100 random problems are solved: dual feasible, without a gap, as KKT says", {
  for (seed in 1:100) {
    loss <- each_loss[seed %% 4L + 1L]
    tau <- if (!is.null(levels_of(loss))) c(0.5, 0.1, 0.9)[seed %% 3L + 1L]
    p <- loss_problem(seed, loss == "hinge")
    tol <- if (loss == "epsilon") 1e-6 else 1e-8
    fit <- fit_problem(p, loss, tau, tol)
    d <- dual_parts(p, fit)
    box <- ref_box(loss, d$y, d$cost, tau)
    slack <- 1e-9 * (1 + d$cost)
    expect_true(all(d$b >= box[, 1] - slack & d$b <= box[, 2] + slack))
    v <- ref_values(d$k, d$y, d$b, d$cost, loss, or(tau, 0.5), d$epsilon)
    unit <- max(v[["primal"]], if (loss == "epsilon") 0.01 / (2 * p$lambda))
    expect_lt(v[["primal"]] - v[["dual"]], 2 * tol * unit)
    expect_true(fit$converged)
    expect_lte(fit$gap, tol)
    if (loss == "hinge") {
      margin <- d$y * drop(d$k %*% d$b)
      share <- abs(d$b) / d$cost
      heavy <- d$cost > 1e-3 * max(d$cost)
      expect_true(all(margin[heavy & share < 1 - 1e-6] > 1 - 1e-2))
      expect_true(all(margin[heavy & share > 1e-6] < 1 + 1e-2))
    }
  }
})

test_that("the objective is that of a dense quadratic program", {
  solve_qp <- from_package("quadprog", "solve.QP")
  for (seed in 1:12) {
    loss <- c("hinge", "pinball")[seed %% 2L + 1L]
    tau <- if (loss == "pinball") 0.3
    p <- loss_problem(3L * seed + 1L, loss == "hinge")
    p$w[] <- 1
    p$lambda <- max(p$lambda, 1e-3)
    fit <- fit_problem(p, loss, tau)
    d <- dual_parts(p, fit)
    n <- length(d$b)
    box <- ref_box(loss, d$y, d$cost, tau)
    qp <- solve_qp(d$k + 1e-9 * diag(n), d$y, cbind(diag(n), -diag(n)), c(box[, 1], -box[, 2]))
    v <- ref_values(d$k, d$y, d$b, d$cost, loss, or(tau, 0.5))
    expect_equal(v[["primal"]], -qp$value, tolerance = 1e-5)
  }
})

test_that("expectiles are those of stats::optim on the primal", {
  set.seed(1)
  x <- matrix(rnorm(12), 6)
  y <- rnorm(6)
  p <- list(x = x, y = y, w = rep(1, 6), gamma = 0.5, lambda = 0.05)
  fit <- fit_problem(p, "expectile", 0.8)
  d <- dual_parts(p, fit)
  primal <- function(b) ref_values(d$k, d$y, b, d$cost, "expectile", 0.8)[["primal"]]
  best <- stats::optim(numeric(6), primal, method = "BFGS", control = list(reltol = 1e-14))
  expect_equal(primal(d$b), best$value, tolerance = 1e-5)
})

test_that("the least-squares expectile is the least-squares machine", {
  d <- regression_data()
  a <- quick(t ~ ., d, loss = "expectile", tau = 0.5, tol = 1e-8)
  b <- vpsvm(t ~ ., d, gamma = 1, lambda = 0.02, tol = 1e-8)
  expect_equal(predict(a, d), predict(b, d), tolerance = 1e-5)
})

test_that("one thread and two give the same bits", {
  for (loss in each_loss) for (cells in c(1, 3)) {
    fit <- function(threads) {
      search(formula_of(loss), data_of(loss), loss = loss, tau = levels_of(loss), cells = cells,
             threads = threads)
    }
    parts <- c("coef", "index", "gamma", "lambda", "cv.error", "fitted", "gap")
    expect_identical(fit(1)[parts], fit(2)[parts])
  }
})

test_that("all partitions, formulas and kinds of final model are there for every loss", {
  for (loss in each_loss) {
    for (args in list(list(cells = 3), list(cells = 3, partition = "random"),
                      list(validation = "split"), list(final = "refit"), list(search = "full"),
                      list(kernel = "polynomial", gamma = 1), list(cells = 3, overlap = 0.5))) {
      fit <- do.call(vpsvm, c(list(formula_of(loss), data_of(loss), loss = loss, seed = 1,
                                   lambda = c(0.1, 0.001)), args))
      expect_true(all(fit$converged))
      expect_lt(max(fit$gap), 1e-6)
      expect_false(anyNA(predict(fit, data_of(loss))))
    }
  }
})

test_that("rows of weight 0 are left out, and heavy ones are repeated rows", {
  for (loss in each_loss) {
    d <- data_of(loss)
    w <- rep(c(1, 0, 2), 40)
    fit <- function(d, ...) {
      response <- if (loss == "hinge") "y" else "t"
      quick(d[setdiff(names(d), response)], d[[response]], ..., loss = loss, scale = FALSE,
            tol = if (loss == "epsilon") 1e-6 else 1e-8)
    }
    weighted <- fit(d, weights = w)
    left <- fit(d[w > 0, ], weights = w[w > 0])
    expect_identical(predict(weighted, d, type = "decision"), predict(left, d, type = "decision"))
    expect_identical(length(fitted(weighted)), nrow(d))
    if (loss == "epsilon") next  # the tube is measured in standard deviations
    repeated <- fit(d[rep(seq_along(w), w), ])
    expect_equal(predict(weighted, d, type = "decision"), predict(repeated, d, type = "decision"),
                 tolerance = 1e-3)
  }
})

test_that("quantiles cover what they say, do not cross and have their names", {
  d <- vp_artificial("I", 600, seed = 2)
  new <- vp_artificial("I", 2000, seed = 3)
  fit <- vpsvm(y ~ x, d, loss = "pinball", tau = c(0.1, 0.5, 0.9), seed = 1)
  q <- predict(fit, new)
  expect_identical(colnames(q), c("0.1", "0.5", "0.9"))
  expect_true(all(q[, 1] <= q[, 2] & q[, 2] <= q[, 3]))
  expect_equal(unname(colMeans(new$y <= q)), c(0.1, 0.5, 0.9), tolerance = 0.15)
  expect_identical(predict(fit, new, tau = 0.5), q[, 2, drop = FALSE])
  expect_identical(predict(fit, new, tau = c(0.9, 0.1)), q[, c(3, 1)])
  expect_identical(dim(residuals(fit)), c(600L, 3L))
  expect_identical(dim(predict(fit, new[0, ])), c(0L, 3L))
  expect_output(print(fit), "pinball, tau = 0.1, 0.5, 0.9")
  one <- vpsvm(y ~ x, d, loss = "pinball", tau = 0.5, seed = 1)
  expect_true(is.numeric(predict(one, new)) && is.null(dim(predict(one, new))))
})

# A constant of least weighted loss by its definition: no other residual does better, and where
# a whole interval does as well, its middle.
ref_offset <- function(loss, r, w, tau) {
  if (loss == "expectile") {
    slope <- function(b) sum(w * (r - b) * ifelse(r > b, tau, 1 - tau))
    return(stats::uniroot(slope, range(r), tol = 1e-12)$root)
  }
  total <- vapply(r, function(b) sum(w * ref_loss(loss, r, b, tau)), 0)
  mean(range(r[total <= min(total) * (1 + 1e-12)]))
}

test_that("levels get the constant of least held-out loss, in the weights of the rows", {
  d <- regression_data(90)
  tau <- c(0.1, 0.5, 0.75)
  for (loss in c("pinball", "expectile")) for (w in list(rep(1, 90), rep(1:3, 30))) {
    for (final in c("average", "refit")) {
      fit <- quick(t ~ ., d, loss = loss, tau = tau, weights = w, folds = 5, final = final,
                   seed = 1)
      scaled <- function(v) (v - fit$label[["center"]]) / fit$label[["half"]]
      plain <- sweep(scaled(fit$cv$decision), 2, fit$intercept[1, ])
      for (j in 1:3) {
        expect_equal(fit$intercept[1, j], ref_offset(loss, scaled(d$t) - plain[, j], w, tau[j]))
      }
      without <- replace(fit, "intercept", list(0 * fit$intercept))
      raise <- predict(fit, d, type = "decision") - predict(without, d, type = "decision")
      expect_equal(raise[1, ], fit$intercept[1, ] * fit$label[["half"]], ignore_attr = TRUE)
    }
  }
  expect_identical(c(quick(t ~ ., d, loss = "pinball", tau = 0.1)$intercept), 0)
  expect_identical(c(quick(t ~ ., d, loss = "epsilon", folds = 5, seed = 1)$intercept), 0)
})

test_that("outer quantiles cover new rows as they say, also with few rows", {
  covered <- rowMeans(vapply(1:10, function(seed) {
    d <- vp_artificial("I", 80, seed = seed)
    new <- vp_artificial("I", 2000, seed = seed + 100)
    fit <- vpsvm(y ~ x, d, loss = "pinball", tau = c(0.1, 0.9), seed = 1)
    colMeans(new$y <= predict(fit, new))
  }, numeric(2)))
  expect_equal(covered, c(0.1, 0.9), tolerance = 0.05, ignore_attr = TRUE)
})

test_that("a held-out value far beyond the clip does not carry an expectile away", {
  set.seed(1)
  d <- data.frame(x = stats::rnorm(500), z = stats::rnorm(500))
  d$y <- d$x + 0.3 * stats::rnorm(500)
  train <- rbind(data.frame(x = 8, z = 8, y = 1), d[1:60, ])
  fit <- vpsvm(y ~ ., train, loss = "expectile", kernel = "polynomial", gamma = 1, coef0 = 1,
               clip = TRUE, scale = "standardize", folds = 5, seed = 1)
  error <- function(fit) mean(ref_loss("expectile", d$y[-(1:60)], predict(fit, d[-(1:60), ]), 0.5))
  expect_lt(error(fit), 1.2 * error(replace(fit, "intercept", list(0 * fit$intercept))))
})

test_that("D36: pairs of classes vote, and decision values have their names", {
  fit <- vpsvm(Species ~ ., iris, loss = "hinge", multiclass = "ovo", seed = 1)
  f <- predict(fit, iris, type = "decision")
  expect_identical(colnames(f), c("versicolor/setosa", "virginica/setosa", "virginica/versicolor"))
  expect_lt(mean(predict(fit, iris) != iris$Species), 0.06)
  expect_lt(fit$cv.error, 0.08)
  v <- predict(fit, iris, type = "votes")
  expect_identical(levels(iris$Species)[max.col(v, "first")], as.character(predict(fit, iris)))
  two <- iris[iris$Species != "setosa", ]
  duel <- vpsvm(Species ~ ., two, loss = "hinge", gamma = 1, lambda = 0.01, scale = FALSE)
  all <- vpsvm(Species ~ ., iris, loss = "hinge", gamma = 1, lambda = 0.01, scale = FALSE,
               multiclass = "ovo")
  expect_equal(predict(all, two, type = "decision")[, 3],
               predict(duel, two, type = "decision")[, 1], tolerance = 1e-3)
  squares <- vpsvm(Species ~ ., iris, multiclass = "ovo", seed = 1)
  expect_lt(mean(predict(squares, iris) != iris$Species), 0.06)
})

test_that("a class that a cell lacks, and a constant cell, do no harm", {
  d <- data.frame(u = c(1:30, 101:130) / 10, y = factor(rep(c("a", "b", "c"), c(30, 15, 15))))
  for (how in c("ovr", "ovo")) {
    fit <- vpsvm(y ~ u, d, loss = "hinge", cells = 2, multiclass = how, seed = 1)
    expect_identical(as.character(predict(fit, d[1:30, ])), rep("a", 30))
    expect_lt(mean(predict(fit, d) != d$y), 0.1)
  }
})

test_that("a matrix of class weights fits all of them in one go", {
  d <- two_classes(200)
  d$a <- d$a / 3
  pairs <- rbind(cautious = c(low = 1, high = 8), even = c(1, 1), bold = c(8, 1))
  fit <- vpsvm(y ~ ., d, loss = "hinge", class.weights = pairs, gamma = 1, lambda = 0.01)
  label <- predict(fit, d)
  expect_identical(names(label), rownames(pairs))
  high <- vapply(label, function(l) sum(l == "high"), 0)
  expect_true(all(diff(high) < 0))
  for (p in rownames(pairs)) {
    alone <- vpsvm(y ~ ., d, loss = "hinge", class.weights = pairs[p, ], gamma = 1, lambda = 0.01)
    expect_equal(predict(fit, d, type = "decision")[, p],
                 predict(alone, d, type = "decision")[, 1], tolerance = 1e-4)
  }
})

test_that("saved models of every loss predict the same", {
  for (loss in each_loss) {
    fit <- quick(formula_of(loss), data_of(loss), loss = loss, tau = levels_of(loss))
    file <- tempfile()
    saveRDS(fit, file)
    expect_identical(predict(readRDS(file), data_of(loss)), predict(fit, data_of(loss)))
    unlink(file)
    expect_output(print(summary(fit)), paste0("Loss +", loss))
    expect_output(print(fit), "Duality gap")
  }
})

# The share of wrong labels of held-out rows plus a hundredth of their hinge loss.
label_risk <- function(fit, y, w) {
  s <- 2 * (y == levels(y)[2]) - 1
  f <- fit$cv$decision[, 1]
  weighted.mean(((f > 0) != (s > 0)) + 0.01 * pmax(0, 1 - s * pmax(-1, pmin(1, f))), w)
}

test_that("the hinge is selected by wrong labels, in the weights of rows and classes", {
  d <- two_classes(150)
  d$a <- d$a / 3
  y <- d$y
  weight <- c(low = 1, high = 5)
  fit <- function(...) vpsvm(y ~ ., d, loss = "hinge", seed = 1, scale = FALSE, ...)
  for (how in list(NULL, weight)) {
    w <- if (is.null(how)) rep(1, 150) else weight[as.character(y)]
    one <- fit(gamma = 0.3, lambda = 0.01, folds = 5, class.weights = how)
    expect_equal(one$cv.risk, label_risk(one, y, w), tolerance = 1e-6)
    all <- fit(gamma = c(0.01, 0.3, 10), lambda = c(0.1, 1e-3), search = "full",
               class.weights = how)
    risk <- outer(c(0.01, 0.3, 10), c(0.1, 1e-3), Vectorize(function(g, l) {
      fit(gamma = g, lambda = l, folds = 5, class.weights = how)$cv.risk
    }))
    expect_equal(all$cv.risk, min(risk), tolerance = 1e-3)
  }
  three <- vpsvm(Species ~ ., iris, loss = "hinge", gamma = 1, lambda = 0.01, folds = 5, seed = 1)
  f <- three$cv$decision
  wrong <- mean(levels(iris$Species)[max.col(f, "first")] != iris$Species)
  s <- 2 * outer(as.integer(iris$Species), 1:3, "==") - 1
  hinge <- mean(pmax(0, 1 - s * pmax(-1, pmin(1, f))))
  expect_equal(three$cv.risk, wrong + 0.01 * hinge, tolerance = 1e-6)
})

test_that("levels are searched for the one nearest 0.5, and each is solved on its own", {
  d <- regression_data(120)
  tau <- c(0.2, 0.6, 0.9)
  for (loss in c("pinball", "expectile")) {
    one <- search(t ~ ., d, loss = loss, tau = 0.6, tol = 1e-8)
    fit <- search(t ~ ., d, loss = loss, tau = tau, tol = 1e-8)
    expect_identical(fit[c("gamma", "lambda")], one[c("gamma", "lambda")])
    expect_equal(fit$own.risk[, "0.6"], one$cv.risk, tolerance = 1e-6, ignore_attr = TRUE)
    expect_equal(mean(fit$own.risk), fit$cv.risk)
    expect_lte(fit$gap, 1e-8)
    alone <- vapply(tau, function(level) {
      vpsvm(t ~ ., d, loss = loss, tau = level, gamma = fit$gamma, lambda = fit$lambda, folds = 5,
            seed = 1, tol = 1e-8)$cv$decision
    }, numeric(120))
    expect_equal(fit$cv$decision, t(apply(alone, 1, sort)), tolerance = 1e-3, ignore_attr = TRUE)
    table <- cv_table(fit)
    expect_identical(table$tau[table$selected], tau)
    expect_identical(table$error[table$selected], as.vector(fit$own.risk))
    expect_true(all(is.na(table$error[!table$selected & table$tau != 0.6])))
    expect_equal(sort(table$error[!table$selected & table$tau == 0.6]),
                 sort(cv_table(one)$error[!cv_table(one)$selected]))
  }
})

test_that("several pairs of weights have rows of their own in the table", {
  pairs <- rbind(even = c(low = 1, high = 1), bold = c(8, 1))
  fit <- search(y ~ ., two_classes(120), loss = "hinge", class.weights = pairs)
  table <- cv_table(fit)
  expect_identical(table$class.weights[table$selected], rownames(pairs))
  expect_identical(table$error[table$selected], as.vector(fit$own.risk))
  by_pair <- matrix(table$error, 2)
  expect_identical(is.na(by_pair[1, ]), is.na(by_pair[2, ]))
  best <- which.min(colMeans(by_pair))
  expect_true(all(table$selected[2 * best + (-1:0)]))
  expect_no_error(plot(fit, type = "cv"))
})
