# Kernel basis pursuit in naive R, straight from the paper: the dictionary, least angle regression
# with the lasso modification by dense solves, and the greedy pursuits.

ref_standardise <- function(K) {
  mean <- colMeans(K)
  sd <- apply(K, 2, stats::sd)
  list(Z = sweep(sweep(K, 2, mean), 2, sd, "/"), mean = mean, sd = sd)
}

# One row of coefficients per breakpoint.
ref_lars <- function(Z, y, lasso = TRUE, steps = Inf) {
  r <- y
  beta <- numeric(ncol(Z))
  A <- integer()
  path <- rbind(beta)
  C0 <- max(abs(crossprod(Z, y)))
  dropped <- 0L
  while (nrow(path) <= steps) {
    c <- drop(crossprod(Z, r))
    C <- max(abs(c))
    if (C <= 1e-8 * C0) break
    if (dropped == 0L) A <- c(A, setdiff(which.max(replace(abs(c), A, -1)), A))
    s <- sign(c[A])
    G <- crossprod(Z[, A, drop = FALSE])
    g <- solve(G, s)
    a <- 1 / sqrt(sum(s * g))
    w <- a * g
    u <- drop(Z[, A, drop = FALSE] %*% w)
    b <- drop(crossprod(Z, u))
    out <- setdiff(seq_along(beta), A)
    gamma <- c((C - c[out]) / (a - b[out]), (C + c[out]) / (a + b[out]))
    same <- rep(out, 2) == dropped & abs(gamma) < 1e-8 * C
    gamma <- gamma[is.finite(gamma) & gamma > 1e-12 * C & !same]
    gamma <- min(gamma, C / a)
    back <- -beta[A] / w
    back[back <= 1e-14] <- Inf
    leaves <- lasso && min(back) < gamma
    if (leaves) gamma <- min(back)
    beta[A] <- beta[A] + gamma * w
    r <- r - gamma * u
    dropped <- 0L
    if (leaves) {
      dropped <- A[which.min(back)]
      beta[dropped] <- 0
      A <- setdiff(A, dropped)
    }
    path <- rbind(path, beta)
    if (length(A) >= min(length(y) - 1, ncol(Z)) && !leaves && gamma >= C / a) break
  }
  unname(path)
}

# Matching pursuit, orthogonal matching pursuit, prefitting: one row per step.
ref_pursuit <- function(Z, y, method, steps) {
  beta <- numeric(ncol(Z))
  path <- rbind(beta)
  A <- integer()
  refit <- function(A) {
    b <- numeric(ncol(Z))
    b[A] <- stats::lm.fit(Z[, A, drop = FALSE], y)$coefficients
    b
  }
  for (k in seq_len(steps)) {
    r <- y - drop(Z %*% beta)
    c <- drop(crossprod(Z, r))
    if (method == "prefit") {
      loss <- vapply(seq_along(beta), function(j) {
        if (j %in% A) return(Inf)
        sum(stats::lm.fit(Z[, c(A, j), drop = FALSE], y)$residuals^2)
      }, 0)
      j <- which.min(loss)
    } else {
      j <- which.max(abs(if (method == "omp") replace(c, A, 0) else c))
    }
    A <- union(A, j)
    if (method == "mp") beta[j] <- beta[j] + c[j] / sum(Z[, j]^2) else beta <- refit(A)
    path <- rbind(path, beta)
  }
  unname(path)
}

ref_key_bandwidth <- function(x, key) {
  d <- as.matrix(stats::dist(x))
  d[d == 0] <- Inf
  nearest <- apply(d, 1, min)
  0.26904 * (if (key == "min") min(nearest) else stats::median(nearest))
}

# The standardised coefficients of a fit at all breakpoints, over all columns of a dictionary given
# as one matrix: one row per breakpoint.
kbp_path_matrix <- function(fit, columns, response = 1) {
  beta <- coef(fit, s = seq_len(nrow(fit$path[[response]]$points)) - 1, standardized = TRUE)
  if (is.list(beta)) beta <- beta[[response]]
  out <- matrix(0, ncol(beta), columns)
  out[, fit$sources$place] <- t(beta[-1, , drop = FALSE])
  out
}

cosexp_data <- function(n = 100, sd = 0.2, seed = 1) {
  set.seed(seed)
  t <- stats::runif(n, 0, 2)
  data.frame(t, y = cos(exp(1.5 * t)) + stats::rnorm(n, sd = sd))
}
