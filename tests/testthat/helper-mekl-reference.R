# Reduced multiple empirical kernel learning and SVM-2K in naive R, straight from the papers.

# Gauss-Jordan elimination with row pivoting: the columns that hold a pivot.
ref_eliminate <- function(K, tol = nrow(K) * .Machine$double.eps * max(rowSums(abs(K)))) {
  basis <- integer()
  row <- 1L
  for (col in seq_len(ncol(K))) {
    if (row > nrow(K)) break
    at <- row - 1L + which.max(abs(K[row:nrow(K), col]))
    if (abs(K[at, col]) <= tol) next
    K[c(row, at), ] <- K[c(at, row), ]
    K[row, ] <- K[row, ] / K[row, col]
    others <- setdiff(seq_len(nrow(K)), row)
    K[others, ] <- K[others, ] - outer(K[others, col], K[row, ])
    basis <- c(basis, col)
    row <- row + 1L
  }
  basis
}

# The orthonormal map of equation (5), symmetric root.
ref_map <- function(K, S) {
  e <- eigen(K[S, S, drop = FALSE], symmetric = TRUE)
  keep <- e$values > length(S) * .Machine$double.eps * max(e$values)
  V <- e$vectors[, keep, drop = FALSE]
  K[, S, drop = FALSE] %*% V %*% (t(V) / sqrt(e$values[keep]))
}

# Equation (12).
ref_objective <- function(Y, w, b, c, lambda) {
  g <- Map(function(Y, w) drop(Y %*% w), Y, w)
  mean <- Reduce(`+`, g) / length(g)
  sum(mapply(function(g, b, w) {
    sum((g - 1 - b)^2) + c * sum(w[-length(w)]^2) + lambda * sum((g - mean)^2)
  }, g, b, w))
}

# Table 1 of the paper: the views' maps, labels -1 and 1.
ref_mhks <- function(maps, sign, c, lambda, xi = 1e-3, iterations = 500, rho = 0.99, start = 1e-6,
                     exact = FALSE, sequential = FALSE, absolute = FALSE) {
  M <- length(maps)
  Y <- lapply(maps, function(P) sign * cbind(P, 1))
  A <- lapply(Y, function(Y) {
    (1 + lambda * (M - 1) / M) * crossprod(Y) + c * diag(rep(1:0, c(ncol(Y) - 1, 1)), ncol(Y))
  })
  b <- rep(list(rep(start, length(sign))), M)
  w <- lapply(Y, function(Y) numeric(ncol(Y)))
  update <- function(l, w) {
    others <- Reduce(`+`, lapply(setdiff(seq_len(M), l), function(j) drop(Y[[j]] %*% w[[j]])), 0)
    drop(solve(A[[l]], crossprod(Y[[l]], 1 + b[[l]] + lambda / M * others), tol = 1e-30))
  }
  w[[1]] <- update(1, w)
  trace <- ref_objective(Y, w, b, c, lambda)
  while (length(trace) < iterations) {
    for (l in seq_len(M)) {
      g <- drop(Y[[l]] %*% w[[l]])
      e <- g - b[[l]] - 1
      b[[l]] <- if (exact) pmax(g - 1, 0) else b[[l]] + rho * (e + abs(e))
    }
    old <- w
    for (l in seq_len(M)) w[[l]] <- update(l, if (sequential) w else old)
    trace <- c(trace, ref_objective(Y, w, b, c, lambda))
    last <- trace[length(trace) - 1]
    if (abs(last - trace[length(trace)]) <= xi * if (absolute) 1 else max(1, last)) break
  }
  value <- Reduce(`+`, Map(function(P, w) drop(cbind(P, 1) %*% w), maps, w)) / M
  list(w = w, b = b, objective = trace, decision = value, Y = Y, update = update)
}

# Kernels of the default views on the rows of x.
ref_views <- function(x, scale = "variance") {
  x <- unname(x)
  D2 <- unname(as.matrix(dist(x)))^2
  s <- mean(sqrt(D2))
  list(tcrossprod(x), exp(-D2 / if (scale == "variance") 2 * s^2 else 2 * s),
       (tcrossprod(x) + 1)^2)
}

# The dual of SVM-2K, biases as constant features, by a dense quadratic program in (a_A, a_B, b+,
# b-).
ref_svm2k <- function(KA, KB, sign, cost, D, epsilon) {
  n <- length(sign)
  I <- diag(n)
  GA <- cbind(diag(sign), 0 * I, -I, I)
  GB <- cbind(0 * I, diag(sign), I, -I)
  Q <- t(GA) %*% (KA + 1) %*% GA + t(GB) %*% (KB + 1) %*% GB
  linear <- c(rep(1, 2 * n), rep(-epsilon, 2 * n))
  A <- cbind(diag(4 * n), -diag(4 * n)[, 1:(2 * n)], -rbind(0 * I, 0 * I, I, I))
  bound <- c(rep(0, 4 * n), rep(-cost, 2 * n), rep(-D, n))
  # The ridge is what quadprog needs to respect the bounds here.
  solve_qp <- from_package("quadprog", "solve.QP")
  z <- solve_qp(Q + 1e-5 * diag(4 * n), linear, A, bound)$solution
  stopifnot(min(crossprod(A, z) - bound) > -1e-4)
  list(objective = sum(linear * z) - drop(z %*% Q %*% z) / 2,
       decision = drop((KA + 1) %*% GA %*% z + (KB + 1) %*% GB %*% z) / 2)
}

# The objective with biases that cost nothing: both sums of coefficients are 0.
ref_svm2k_free <- function(KA, KB, sign, cost, D, epsilon) {
  n <- length(sign)
  I <- diag(n)
  GA <- cbind(diag(sign), 0 * I, -I, I)
  GB <- cbind(0 * I, diag(sign), I, -I)
  Q <- t(GA) %*% KA %*% GA + t(GB) %*% KB %*% GB
  linear <- c(rep(1, 2 * n), rep(-epsilon, 2 * n))
  A <- cbind(colSums(GA), colSums(GB), diag(4 * n), -diag(4 * n)[, 1:(2 * n)],
             -rbind(0 * I, 0 * I, I, I))
  bound <- c(0, 0, rep(0, 4 * n), rep(-cost, 2 * n), rep(-D, n))
  solve_qp <- from_package("quadprog", "solve.QP")
  z <- solve_qp(Q + 1e-5 * diag(4 * n), linear, A, bound, meq = 2)$solution
  sum(linear * z) - drop(z %*% Q %*% z) / 2
}
