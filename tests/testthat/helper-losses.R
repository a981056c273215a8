# The losses in naive R: primal and dual values of a fit with one cell, no folds and no clipping.

or <- function(value, default) if (is.null(value)) default else value

ref_loss <- function(loss, y, f, tau = 0.5, epsilon = 0) {
  r <- y - f
  switch(loss,
    hinge = pmax(0, 1 - y * f),
    pinball = pmax(tau * r, (tau - 1) * r),
    expectile = ifelse(r > 0, tau, 1 - tau) * r^2,
    epsilon = pmax(0, abs(r) - epsilon),
    r^2
  )
}

# The box of each coefficient, and what a coefficient costs in the dual.
ref_box <- function(loss, y, cost, tau) {
  switch(loss,
    hinge = cbind(pmin(0, y * cost), pmax(0, y * cost)),
    pinball = cbind((tau - 1) * cost, tau * cost),
    epsilon = cbind(-cost, cost),
    cbind(rep(-Inf, length(y)), Inf)
  )
}

ref_price <- function(loss, b, cost, tau, epsilon) {
  switch(loss, epsilon = epsilon * abs(b),
         expectile = b^2 / (4 * cost * ifelse(b > 0, tau, 1 - tau)), 0 * b)
}

# min |f|^2 / 2 + sum cost L and its dual, at coefficients b.
ref_values <- function(k, y, b, cost, loss, tau = 0.5, epsilon = 0) {
  f <- drop(k %*% b)
  norm <- sum(b * f) / 2
  c(primal = norm + sum(cost * ref_loss(loss, y, f, tau, epsilon)),
    dual = sum(b * y) - norm - sum(ref_price(loss, b, cost, tau, epsilon)))
}

# Data full of duplicates and of weights from 1e-6 to 1e6.
loss_problem <- function(seed, classes) {
  set.seed(seed)
  n <- sample(8:24, 1L)
  x <- matrix(sample(-2:2, 2L * n, TRUE), n)
  if (seed %% 3L) x <- x + rnorm(2L * n)
  x[n, ] <- x[1L, ]
  y <- if (classes) factor(c("a", "b", sample(c("a", "b"), n - 2L, TRUE))) else rnorm(n)
  w <- if (seed %% 2L) rep(1, n) else sample(c(1e-6, 1, 1e6), n, TRUE)
  list(x = x, y = y, w = w, gamma = 10^runif(1L, -2, 1), lambda = 10^runif(1L, -5, 0))
}

fit_problem <- function(p, loss, tau = NULL, tol = 1e-8) {
  vpsvm(p$x, p$y, loss = loss, tau = tau, gamma = p$gamma, lambda = p$lambda, weights = p$w,
        scale = FALSE, clip = FALSE, tol = tol)
}

# Coefficients in the order of the rows, labels in [-1, 1] and costs of a fit.
dual_parts <- function(p, fit) {
  b <- numeric(length(p$w))
  b[fit$index] <- fit$coef[, 1L]
  y <- if (is.factor(p$y)) 2 * as.integer(p$y) - 3 else
    (p$y - fit$label[["center"]]) / fit$label[["half"]]
  list(b = b, y = y, cost = p$w / mean(p$w) / (2 * p$lambda * length(b)),
       k = ref_kernel(p$x, p$x, "radial", p$gamma) + fit$constant,
       epsilon = or(fit$epsilon, 0) / fit$label[["half"]])
}
