# Class probabilities from decision values: p = softmax(a f) with one shared a > 0, or the logistic
# function of a f for two classes. As a > 0 the most probable class is the label.

# Maximum likelihood in log a, on targets smoothed as Platt's, so that the maximum is finite.
calibrate <- function(cv_decision, outcome, weights, fit) {
  held_out <- which(is.finite(rowSums(cv_decision)))
  code <- outcome$code[held_out]
  w <- (weights %||% rep(1, length(outcome$code)))[held_out]
  counts <- tabulate(outcome$code, length(outcome$classes))
  frequency <- list(a = NA_real_, frequency = counts / sum(counts))
  if (length(unique(code)) < 2L || sum(w) == 0) return(calibration_failed(frequency))
  scores <- class_scores(clip_decision(fit, cv_decision[held_out, , drop = FALSE]))
  target <- smoothed_targets(code, counts)
  loss <- function(log_a) -sum(w * target * log_softmax(exp(log_a) * scores)) / sum(w)
  best <- stats::optimize(loss, log(c(1e-2, 1e3)), tol = 1e-8)
  useless <- best$objective >= loss(log(1e-2)) * (1 - 1e-8)
  if (!is.finite(best$objective) || useless) return(calibration_failed(frequency))
  list(a = exp(best$minimum), frequency = frequency$frequency)
}

calibration_failed <- function(frequency) {
  warn("The cross-validated decision values do not tell the classes apart; probabilities fall ",
       "back to the class frequencies.")
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
  scores <- scores - apply(scores, 1L, max)
  scores - log(rowSums(exp(scores)))
}

# The fallback gives half of the mass to the label, so that the label stays the most probable.
probabilities <- function(object, decision) {
  calibration <- object$calibration
  if (nrow(decision) == 0L) return(all_levels(object, matrix(0, 0L, length(object$classes))))
  if (is.na(calibration$a)) {
    label <- outer(label_code(decision), seq_along(object$classes), "==")
    p <- label / 2 + rep(calibration$frequency / 2, each = nrow(decision))
  } else {
    p <- exp(log_softmax(calibration$a * class_scores(decision)))
  }
  all_levels(object, p)
}
