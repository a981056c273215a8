# Hierarchical Gaussian kernels in naive R, straight from the formulas: one pair of rows at a time.
# A node is a list with `weights` and either `columns` (first layer) or `nodes`, as in hg_kernel().

ref_hg_distance <- function(node, a, b) {
  total <- 0
  if (!is.null(node$columns)) {
    for (j in seq_along(node$columns)) {
      at <- node$columns[j]
      total <- total + node$weights[j]^2 * (a[[at]] - b[[at]])^2
    }
    return(total)
  }
  for (i in seq_along(node$nodes)) {
    below <- exp(-ref_hg_distance(node$nodes[[i]], a, b))
    total <- total + 2 * node$weights[i]^2 * (1 - below)
  }
  total
}

ref_hg_gram <- function(node, x, z = x, gamma = 1) {
  out <- matrix(0, nrow(x), nrow(z))
  for (i in seq_len(nrow(x))) for (j in seq_len(nrow(z))) {
    out[i, j] <- exp(-gamma * ref_hg_distance(node, x[i, ], z[j, ]))
  }
  out
}

# The derivatives of k at one pair by all weights, those of the children first, each in its order,
# then the own ones.
ref_hg_slopes <- function(node, a, b, gamma = 1) {
  k <- exp(-gamma * ref_hg_distance(node, a, b))
  if (!is.null(node$columns)) {
    difference <- unlist(a[node$columns]) - unlist(b[node$columns])
    return(-2 * gamma * node$weights * unname(difference)^2 * k)
  }
  below <- own <- numeric()
  for (i in seq_along(node$nodes)) {
    w <- node$weights[i]
    child <- exp(-ref_hg_distance(node$nodes[[i]], a, b))
    below <- c(below, 2 * gamma * w^2 * k * ref_hg_slopes(node$nodes[[i]], a, b))
    own <- c(own, -4 * gamma * w * (1 - child) * k)
  }
  c(below, own)
}

ref_hg_width_slope <- function(node, a, b, gamma) {
  d <- ref_hg_distance(node, a, b)
  -d * exp(-gamma * d)
}

# All weights of a node in the order of ref_hg_slopes(), and the node with others.
ref_hg_weights <- function(node) {
  c(unlist(lapply(node$nodes, ref_hg_weights)), node$weights)
}

ref_hg_replace <- function(node, weights) {
  for (i in seq_along(node$nodes)) {
    size <- length(ref_hg_weights(node$nodes[[i]]))
    node$nodes[[i]] <- ref_hg_replace(node$nodes[[i]], weights[seq_len(size)])
    weights <- weights[-seq_len(size)]
  }
  node$weights <- weights
  node
}

# ---- the validation risk -------------------------------------------------------------------------

ref_hg_losses <- list(
  least.squares = list(value = function(y, t, tau) (t - y)^2,
                       slope = function(y, t, tau) 2 * (t - y)),
  hinge = list(value = function(y, t, tau) pmax(0, 1 - y * t),
               slope = function(y, t, tau) ifelse(y * t < 1, -y, 0)),
  pinball = list(value = function(y, t, tau) ifelse(y > t, tau * (y - t), (tau - 1) * (y - t)),
                 slope = function(y, t, tau) ifelse(y > t, -tau, 1 - tau))
)

# x, alpha: the rows that the decision function is trained on and its coefficients; z, y: the
# validation rows.
ref_hg_risk <- function(node, x, alpha, z, y, gamma = 1, loss = "least.squares", tau = 0.5) {
  f <- drop(ref_hg_gram(node, z, x, gamma) %*% alpha)
  mean(ref_hg_losses[[loss]]$value(y, f, tau))
}

ref_hg_gradient <- function(node, x, alpha, z, y, gamma = 1, loss = "least.squares", tau = 0.5) {
  f <- drop(ref_hg_gram(node, z, x, gamma) %*% alpha)
  outer <- ref_hg_losses[[loss]]$slope(y, f, tau)
  total <- 0
  for (j in seq_len(nrow(z))) for (i in seq_len(nrow(x))) {
    total <- total + outer[j] * alpha[i] * ref_hg_slopes(node, x[i, ], z[j, ], gamma)
  }
  total / nrow(z)
}

# Central differences of a function of a vector.
ref_differences <- function(f, at, step = 1e-5) {
  vapply(seq_along(at), function(j) {
    h <- step * max(1, abs(at[j]))
    e <- replace(numeric(length(at)), j, h)
    (f(at + e) - f(at - e)) / (2 * h)
  }, 0)
}

# ---- single steps of Algorithm 1 -----------------------------------------------------------------

# 4 : 2 : 3
ref_hg_parts <- function(n) {
  first <- floor(4 * n / 9)
  second <- floor(2 * n / 9)
  rep(1:3, c(first, second, n - first - second))
}

ref_hg_solve <- function(node, x, y, gamma, lambda) {
  solve(ref_hg_gram(node, x, gamma = gamma) + nrow(x) * lambda * diag(nrow(x)), y)
}

# Is a change of the risk by delta accepted at step i of N?
ref_hg_accepts <- function(delta, i, N, T0, r) {
  delta < 0 || i < N && r <= exp(-delta / (T0 * (1 - i / N)))
}

# One step of gradient descent under the condition of Armijo and Goldstein: the new weights and the
# step size, or NULL where none gains.
ref_hg_descent <- function(f, gradient, weights, eta) {
  g <- gradient(weights)
  before <- f(weights)
  for (half in 0:20) {
    if (f(weights - eta * g) <= before - 1e-4 * eta * sum(g^2)) {
      return(list(weights = pmax(abs(weights - eta * g), 1e-8), eta = eta))
    }
    eta <- eta / 2
  }
  NULL
}

# A kernel of some depth with random weights on p columns: children of different depths, columns in
# several nodes.
ref_random_node <- function(depth, p) {
  if (depth == 1) {
    columns <- sort(sample.int(p, sample.int(p, 1)))
    return(list(columns = columns, weights = stats::runif(length(columns), 0.3, 1.5)))
  }
  nodes <- lapply(seq_len(sample(2:3, 1)), function(i) {
    ref_random_node(if (i == 1) depth - 1 else sample.int(depth - 1, 1), p)
  })
  list(nodes = nodes, weights = stats::runif(length(nodes), 0.3, 1.2))
}
