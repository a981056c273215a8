# Class probabilities from decision values: p = softmax(a f + b), with one offset b per class and
# one a > 0. With two classes this is Platt's logistic function. With more, the two classes of each
# pair share p_i + p_j by Platt's function of f_i - f_j: all pairs are coupled without conflict.

# Maximum likelihood on cross-validated decision values, on targets smoothed as Platt's (2000), so
# that the maximum is finite.
calibrate <- function(cv_decision, outcome, weights, fit) {
  held_out <- which(is.finite(rowSums(cv_decision)))
  code <- outcome$code[held_out]
  w <- (weights %||% rep(1, length(outcome$code)))[held_out]
  K <- length(outcome$classes)
  counts <- class_counts(outcome$code, weights %||% rep(1, length(outcome$code)), K)
  frequency <- list(a = NA_real_, frequency = counts / sum(counts))
  if (length(unique(code)) < 2L || sum(w) == 0) return(calibration_failed(frequency))
  decision <- clip_decision(fit, cv_decision[held_out, , drop = FALSE])
  best <- if (is_ovo(fit)) pair_logistics(decision, code, w, K) else
    softmax_fit(class_scores(decision), code, w, K)
  if (is.null(best)) return(calibration_failed(frequency))
  c(best, frequency["frequency"])
}

class_counts <- function(code, w, K) vapply(seq_len(K), function(k) sum(w[code == k]), 0)

# The slope a and the offsets b; NULL if the decision values point nowhere or the wrong way.
softmax_fit <- function(scores, code, w, K) {
  w <- w / mean(w)
  target <- smoothed_targets(code, class_counts(code, w, K))
  unit <- sqrt(mean((scores - rowMeans(scores))^2))
  if (unit <= rounding_of(max(abs(scores)))) return(NULL)
  best <- newton(function(theta) softmax_loss(theta, scores / unit, target, w), numeric(K))
  # Newton's method stops within 1e-6 of the best slope.
  if (!(best[1L] > 1e-6) || !all(is.finite(best))) return(NULL)
  list(a = best[[1L]] / unit, b = unname(c(0, best[-1L])))
}

# One against one: a logistic function for each pair, from the rows of its two classes. A pair
# without information has slope 0 and the classes' shares.
pair_logistics <- function(decision, code, w, K) {
  duel <- class_pairs(K)
  fits <- lapply(seq_len(ncol(duel)), function(j) {
    rows <- which(code %in% duel[, j] & w > 0)
    second <- code[rows] == duel[2L, j]
    own <- w[rows] / mean(w[rows])
    fit <- if (any(second) && !all(second)) {
      softmax_fit(cbind(0, decision[rows, j]), 1L + second, own, 2L)
    }
    fit %||% list(a = 0, b = c(0, log((sum(own[second]) + 1) / (sum(own[!second]) + 1))))
  })
  a <- vapply(fits, `[[`, 0, "a")
  if (all(a == 0)) return(NULL)
  list(a = a, b = vapply(fits, function(fit) fit$b[2L], 0))
}

# Pairwise coupling of Wu, Lin and Weng (2004, second method): p minimises the sum over all pairs of
# (r_ji p_i - r_ij p_j)^2 among those with sum 1, which is a linear system for each row.
couple_pairs <- function(r, K) {
  duel <- class_pairs(K)
  answer <- c(numeric(K), 1)
  p <- apply(r, 1L, function(second) {
    beats <- matrix(0, K, K)
    beats[t(duel)] <- 1 - second
    beats[t(duel[2:1, , drop = FALSE])] <- second
    Q <- -beats * t(beats)
    diag(Q) <- colSums(beats^2)
    solve(rbind(cbind(Q, 1), c(rep(1, K), 0)), answer, tol = 0)[seq_len(K)]
  })
  p <- pmax(t(p), 0)
  p / rowSums(p)
}

calibration_failed <- function(frequency) {
  warn("The cross-validated decision values do not tell the classes apart; probabilities fall ",
       "back to the class frequencies, with the label's raised where it is not the largest.")
  frequency
}

# Two classes: scores 0 and f, so that softmax is the logistic function of f.
class_scores <- function(decision) if (ncol(decision) == 1L) cbind(0, decision) else decision

smoothed_targets <- function(code, counts) {
  K <- length(counts)
  own <- (counts + 1) / (counts + 2)
  target <- matrix((1 - own[code]) / (K - 1), length(code), K)
  target[cbind(seq_along(code), code)] <- own[code]
  target
}

log_softmax <- function(scores) {
  scores <- scores - row_max(scores)
  scores - log(rowSums(exp(scores)))
}

calibrated_scores <- function(scores, a, b) a * scores + rep(b, each = nrow(scores))

# The mean cross-entropy of theta = (a, b_2, ..., b_K), its gradient and its Hessian; it is convex.
softmax_loss <- function(theta, scores, target, w) {
  log_p <- log_softmax(calibrated_scores(scores, theta[1L], c(0, theta[-1L])))
  p <- exp(log_p)
  w <- w / sum(w)
  excess <- w * (p - target)
  mean_score <- rowSums(p * scores)
  by_offset <- colSums(w * p * (scores - mean_score))[-1L]
  offsets <- diag(colSums(w * p), ncol(p)) - crossprod(p, w * p)
  list(
    value = -sum(w * target * log_p),
    gradient = c(sum(excess * scores), unname(colSums(excess))[-1L]),
    hessian = rbind(
      c(sum(w * p * (scores - mean_score)^2), by_offset),
      cbind(by_offset, offsets[-1L, -1L, drop = FALSE])
    )
  )
}

# Newton's method for a convex function, with a small ridge and steps halved until they descend
# enough; stops where no step does.
newton <- function(f, theta, max.steps = 100L) {
  at <- f(theta)
  for (step in seq_len(max.steps)) {
    ridge <- diag(1e-10 + 1e-10 * max(diag(at$hessian)), length(theta))
    direction <- solve(at$hessian + ridge, at$gradient, tol = 0)
    slope <- sum(direction * at$gradient)
    if (!is.finite(slope) || slope < 1e-14) break
    size <- 1
    repeat {
      trial <- f(theta - size * direction)
      if (is.finite(trial$value) && trial$value <= at$value - 1e-4 * size * slope) break
      size <- size / 2
      if (size < 1e-8) return(theta)
    }
    theta <- theta - size * direction
    at <- trial
  }
  theta
}

probabilities <- function(object, decision) {
  calibration <- object$calibration
  if (nrow(decision) == 0L) return(all_levels(object, matrix(0, 0L, length(object$classes))))
  label <- label_code(decision, object)
  decision <- clip_decision(object, decision)
  p <- if (anyNA(calibration$a)) {
    matrix(calibration$frequency, nrow(decision), length(object$classes), byrow = TRUE)
  } else if (is_ovo(object)) {
    r <- stats::plogis(sweep(sweep(decision, 2L, calibration$a, "*"), 2L, calibration$b, "+"))
    couple_pairs(pmin(pmax(r, 1e-7), 1 - 1e-7), length(object$classes))
  } else {
    b <- calibration$b %||% numeric(length(object$classes))
    exp(log_softmax(calibrated_scores(class_scores(decision), calibration$a, b)))
  }
  all_levels(object, favour_label(p, label))
}

# The label becomes the most probable class where it is not, by the smallest change: it and the
# classes before it share what they have together, the label getting a thousandth more.
favour_label <- function(p, label) {
  own <- cbind(seq_along(label), label)
  rivals <- replace(p, own, -Inf)
  rows <- which(p[own] < 1.001 * row_max(rivals))
  if (length(rows) == 0L) return(p)
  sorted <- t(apply(rivals[rows, , drop = FALSE], 1L, sort, decreasing = TRUE))
  level <- p[own][rows]
  for (k in seq_len(ncol(p) - 1L)) {
    joins <- sorted[, k] > level * (1 - 1e-9)
    level[joins] <- (level[joins] * k + sorted[joins, k]) / (k + 1)
  }
  shared <- pmin(p[rows, , drop = FALSE], level)
  shared[cbind(seq_along(rows), label[rows])] <- 1.001 * level
  p[rows, ] <- shared / rowSums(shared)
  p
}
