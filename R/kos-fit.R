# The fit: scale, find the width, cut the classes, one eigendecomposition for each part.

kos_fit <- function(input, s) {
  started <- proc.time()[["elapsed"]]
  if (is.numeric(input$y) && s$type == "auto") {
    abort("kos() needs classes, but `y` is numeric (regression); use vpsvm(), or give factor(y).",
          arg = "y")
  }
  input$x <- dense_rows(input$x, s$memory)
  given <- input
  input <- weighted_rows(given)
  outcome <- outcome(input$y, s$type)
  scaling <- fit_scaling(input$x, input$blueprint, s)
  x <- apply_scaling(input$x, scaling)
  s$gamma <- resolve_gamma(s$gamma, x, outcome, input$weights, s)
  s <- kos_folds(s, outcome)
  seed <- if (s$folds > 0) draw_seed(s$seed) else NA_real_
  weights <- row_weights(input$weights, NULL, outcome)
  parts <- class_parts(x, outcome, seq_len(nrow(x)), s)
  check_subspaces(lengths(parts$rows), outcome$classes[parts$class], nrow(x), s)
  fit <- structure(
    c(
      list(call = NULL, version = package_version_string()), describe_outcome(outcome),
      list(kernel = "radial", gamma = s$gamma, centered = s$centered, clip = FALSE,
           folds = s$folds, seed = seed, n = nrow(x), blueprint = input$blueprint,
           scaling = scaling, na.action = input$na.action),
      fit_subspaces(x, weights, outcome, parts, s)
    ), class = "kos"
  )
  fit <- kos_validation(fit, x, input, outcome, weights, s)
  if (nrow(x) < nrow(given$x)) {
    fit$index <- which(given$weights > 0)[fit$index]
    fit$unused <- which(given$weights == 0)
  }
  fit$fitted <- decision_response(fit, kos_decision(fit, apply_scaling(given$x, scaling), s))
  fit$residuals <- response_error(fit, fit$fitted, given$y)
  fit$seconds <- proc.time()[["elapsed"]] - started
  fit
}

kos_folds <- function(s, outcome) {
  n <- length(outcome$code)
  if (is.null(s$folds)) s$folds <- if (s$probability) min(5, n) else 0
  if (s$folds > n) abort("`folds` = ", s$folds, " exceeds the ", n, " rows.", arg = "folds")
  if (s$folds > 0) warn_single_class(outcome)
  s
}

# ---- parts of classes ------------------------------------------------------------------------

# Row numbers of each part, and the code of its class.
class_parts <- function(x, outcome, rows, s) {
  by_class <- split(rows, factor(outcome$code[rows], seq_along(outcome$classes)))
  parts <- lapply(by_class, function(i) bisect(x, i, ceiling(length(i) / s$max.class)))
  list(rows = unlist(parts, recursive = FALSE, use.names = FALSE),
       class = rep(seq_along(parts), lengths(parts)))
}

check_subspaces <- function(size, class, n, s) {
  if (!is.null(s$rank) && s$rank > min(size)) {
    abort("`rank` = ", s$rank, " exceeds the ", min(size), plural(min(size), " row"),
          " of a subspace of class `", class[which.min(size)], "`.", arg = "rank")
  }
  needed <- 8 * 6 * max(size)^2
  if (needed > s$memory) {
    abort("With ", n, " rows a subspace has up to ", max(size), " of them; its kernel matrix and ",
          "the decomposition need ", format_bytes(needed), " of memory, more than the budget of ",
          format_bytes(s$memory),
          "; lower `max.class` or raise `memory`.", arg = "memory")
  }
}

# Nearly equal parts, halved along the first principal direction. It points to the row farthest out,
# and rows that differ by rounding keep their order: neither the order nor the unit of the columns
# matters.
bisect <- function(x, rows, parts) {
  if (parts <= 1L) return(if (length(rows)) list(rows))
  centered <- scale(x[rows, , drop = FALSE], scale = FALSE)
  place <- drop(centered %*% svd(centered, nu = 0L, nv = 1L)$v)
  place <- place / max(abs(place), .Machine$double.xmin)
  farthest <- which.max(round(abs(place), 9L))
  along <- order(round(sign(place[farthest]) * place, 9L))
  left <- parts %/% 2L
  first <- along[seq_len(round(length(rows) * left / parts))]
  c(bisect(x, rows[sort(first)], left), bisect(x, rows[-first], parts - left))
}

# ---- subspaces -------------------------------------------------------------------------------

fit_subspaces <- function(x, weights, outcome, parts, s) {
  show <- progress_shower("subspaces", length(parts$rows), s$verbose)
  each <- lapply(seq_along(parts$rows), function(i) {
    rows <- parts$rows[[i]]
    show(i)
    Sys.sleep(0)  # R asks for interrupts here, and else only now and then
    subspace(x[rows, , drop = FALSE], weights[rows], s)
  })
  index <- unlist(parts$rows)
  list(
    subspaces = data.frame(
      class = factor(outcome$classes[parts$class], outcome$classes), size = lengths(parts$rows),
      rank = vapply(each, `[[`, 1L, "rank"), energy = vapply(each, `[[`, 0, "energy")
    ),
    spectrum = lapply(each, `[[`, "spectrum"), sv = x[index, , drop = FALSE], index = index,
    offset = c(0L, cumsum(lengths(parts$rows))), coef = lapply(each, `[[`, "coef"),
    shift = lapply(each, `[[`, "shift"), spread = vapply(each, `[[`, 0, "spread")
  )
}

# Modes psi_k = lambda_k^(-1/2) sum_i v_ik sqrt(w_i) phi(x_i); `coef` holds their coefficients, in
# the centred case after the column of the mean. `spread` is |mean|^2, `shift` the modes' products
# with the mean.
subspace <- function(x, w, s) {
  n <- nrow(x)
  w <- w / mean(w)
  k <- exp(-s$gamma * as.matrix(stats::dist(x))^2)
  share <- w / n
  to_mean <- drop(k %*% share)
  spread <- if (s$centered) sum(share * to_mean) else 0
  if (s$centered) k <- k - to_mean - rep(to_mean, each = n) + spread
  root <- sqrt(w)
  eig <- eigen(k * outer(root, root), symmetric = TRUE)
  lambda <- pmax(eig$values, 0)
  rank <- subspace_rank(lambda, n, s)
  kept <- seq_len(rank)
  modes <- root * eig$vectors[, kept, drop = FALSE] / rep(sqrt(lambda[kept]), each = n)
  list(
    rank = rank, energy = if (sum(lambda) > 0) sum(lambda[kept]) / sum(lambda) else 1,
    spectrum = lambda, spread = spread,
    shift = if (s$centered) drop(crossprod(modes, to_mean)) else numeric(),
    coef = unname(if (s$centered) cbind(share, modes) else modes)
  )
}

# Only eigenvalues above rounding; those of a singular matrix are not. `energy` keeps equal ones
# together, whose eigenvectors are any directions of the space that they span.
subspace_rank <- function(lambda, n, s) {
  rounding <- n * rounding_of(lambda[1L])
  usable <- sum(lambda > n * .Machine$double.eps * max(lambda[1L], 1e-300))
  if (s$centered) usable <- min(usable, n - 1L)
  if (!is.null(s$rank)) return(as.integer(min(s$rank, usable)))
  share <- cumsum(lambda) / sum(lambda)
  rank <- min(usable, sum(share < s$energy * (1 - 1e-12), na.rm = TRUE) + 1L)
  if (rank > 0L) rank <- min(usable, sum(lambda >= lambda[rank] - rounding))
  as.integer(rank)
}

# ---- distances -------------------------------------------------------------------------------

# Squared distance of each scaled row to the nearest subspace of each class, and its rounding.
kos_distance <- function(object, x, options) {
  out <- matrix(Inf, nrow(x), length(object$classes))
  slack <- matrix(0, nrow(x), length(object$classes))
  class <- as.integer(object$subspaces$class)
  for (i in seq_along(class)) {
    rows <- seq_len(object$offset[i + 1L] - object$offset[i]) + object$offset[i]
    coef <- object$coef[[i]]
    a <- kernel_product(x, object$sv[rows, , drop = FALSE], coef, object$gamma, options)
    own <- 1
    if (object$centered) {
      own <- 1 - 2 * a[, 1L] + object$spread[i]
      a <- a[, -1L, drop = FALSE] - rep(object$shift[[i]], each = nrow(x))
    }
    distance <- pmax(own - rowSums(a^2), 0)
    nearer <- distance < out[, class[i]]
    out[nearer, class[i]] <- distance[nearer]
    slack[nearer, class[i]] <- subspace_rounding(a, object$spectrum[[i]])[nearer]
  }
  list(distance = out, slack = slack)
}

# The decomposition is that of a matrix which differs from the kernel matrix by its rounding, n eps
# lambda_1. This changes the squared length of a projection with the coordinates a_k by at most so
# much times the sum of a_k^2 / lambda_k.
subspace_rounding <- function(a, spectrum) {
  kept <- spectrum[seq_len(ncol(a))]
  length(spectrum) * rounding_of(1 + spectrum[1L] * drop(a^2 %*% (1 / kept)))
}

# K(x, centers) coef.
kernel_product <- function(x, centers, coef, gamma, options) {
  model <- list(
    sv = centers, coef = coef, intercept = matrix(0, 1L, ncol(coef)),
    offset = c(0L, nrow(centers)), gamma = gamma, kernel = "radial", degree = 3L, coef0 = 0,
    centers = matrix(0, 0L, ncol(centers)), cell_of_center = integer(), type = "none"
  )
  from_core(fk_vp_predict(x, model, options[c("threads", "memory", "verbose")]))
}

# Two classes: one column, positive for the second. More: minus the squared distance to each.
kos_decision <- function(object, x, options) {
  found <- kos_distance(object, x, options)
  distance <- found$distance
  if (ncol(distance) > 2L) return(settle_rows(-distance, found$slack))
  settle_signs(cbind(distance[, 1L] - distance[, 2L]), rowSums(found$slack))
}

# ---- validation ------------------------------------------------------------------------------

# The width is that of the whole fit; the subspaces are those of the other folds.
kos_validation <- function(fit, x, input, outcome, weights, s) {
  fit$cv.error <- NA_real_
  if (s$folds == 0) return(fit)
  fold <- fk_folds(outcome$code, s$folds, fit$seed)
  held_out <- matrix(NA_real_, nrow(x), if (length(fit$classes) == 2L) 1L else length(fit$classes))
  for (v in seq_len(s$folds)) {
    parts <- class_parts(x, outcome, which(fold != v), s)
    part <- fit_subspaces(x, weights, outcome, parts, s)
    part <- c(part, unclass(fit)[c("classes", "gamma", "centered")])
    held_out[fold == v, ] <- kos_decision(part, x[fold == v, , drop = FALSE], s)
  }
  error <- response_error(fit, decision_response(fit, held_out), input$y)
  fit$cv.error <- sum(weights * error) / sum(weights)
  if (s$probability) fit$calibration <- calibrate(held_out, outcome, input$weights, fit)
  fit
}
