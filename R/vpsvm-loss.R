# What is learned under which loss: the columns of targets, their weights and their losses.

loss_names <- c("least.squares", "hinge", "pinball", "expectile", "epsilon")

has_levels <- function(loss) loss %in% c("pinball", "expectile")

check_tau <- function(tau) {
  want <- "numbers strictly between 0 and 1, rising and without repetition"
  if (!are_shares(tau) || any(diff(tau) <= 0)) abort_arg("tau", tau, want, is_share)
  as.numeric(tau)
}

# Settings of the loss that do not go with each other.
loss_settings <- function(s) {
  s$loss <- check_choice(s$loss, c("auto", loss_names), "loss")
  s$multiclass <- check_choice(s$multiclass, c("auto", "ovr", "ovo"), "multiclass")
  bends <- s$kernel == "radial"
  if (s$multiclass == "auto") s$multiclass <- if (bends) "ovr" else "ovo"
  if (s$loss == "auto" && bends) s$loss <- "least.squares"
  if (!is.null(s$tau)) {
    if (!has_levels(s$loss)) {
      abort('`tau` has no meaning for loss = "', s$loss, '"; use "pinball" or "expectile".',
            arg = "tau")
    }
    s$tau <- check_tau(s$tau)
  } else if (has_levels(s$loss)) {
    s$tau <- 0.5
  }
  s
}

# Least squares; where a linear or polynomial kernel parts classes, the hinge: squares see the rows
# far from the border as much as those beside it, and such a kernel cannot bend to please both.
resolve_loss <- function(s, outcome) {
  if (s$loss != "auto") return(s$loss)
  if (outcome$task == "classification") "hinge" else "least.squares"
}

check_loss_task <- function(s, outcome) {
  classification <- outcome$task == "classification"
  if (s$loss == "hinge" && !classification) {
    abort('loss = "hinge" is for classification, but `y` is numeric; give factor(y) or use ',
          '"least.squares", "pinball", "expectile" or "epsilon".', arg = "loss")
  }
  if (classification && !s$loss %in% c("least.squares", "hinge")) {
    abort('loss = "', s$loss, '" is for regression, but `y` is a factor; use "hinge" or ',
          '"least.squares".', arg = "loss")
  }
  if (is.matrix(s$class.weights) && length(outcome$classes) > 2L) {
    abort("A matrix of `class.weights` needs two classes, not ", length(outcome$classes), ".",
          arg = "class.weights")
  }
}

check_loss_probability <- function(s) {
  if (!s$probability || !is.matrix(s$class.weights)) return(invisible())
  abort("`probability` = TRUE needs one weight per class, not a matrix of `class.weights`.",
        arg = "probability")
}

# One column per decision function: its target, its loss and, where they differ, its weights.
learning_tasks <- function(outcome, input, s) {
  check_loss_task(s, outcome)
  check_loss_probability(s)
  target <- outcome$target
  classes <- outcome$task == "classification"
  pairs <- if (is.matrix(s$class.weights) && classes) weight_pairs(s$class.weights, outcome)
  own <- NULL
  if (!classes) {
    target <- target[, rep(1L, max(1L, length(s$tau))), drop = FALSE]
    weights <- row_weights(input$weights, s$class.weights, outcome)
  } else if (!is.null(pairs)) {
    target <- target[, rep(1L, nrow(pairs)), drop = FALSE]
    own <- apply(pairs, 1L, function(w) row_weights(input$weights, w, outcome))
    weights <- row_weights(input$weights, NULL, outcome)
  } else {
    weights <- row_weights(input$weights, s$class.weights, outcome)
    if (s$multiclass == "ovo" && length(outcome$classes) > 2L) {
      duel <- class_pairs(length(outcome$classes))
      target <- apply(duel, 2L, function(k) ifelse(outcome$code == k[2L], 1, -1))
      own <- apply(duel, 2L, function(k) ifelse(outcome$code %in% k, weights, 0))
    }
  }
  list(target = target, weights = weights, own = own, pairs = pairs,
       tau = rep_len(s$tau %||% 0.5, ncol(target)), lead = leading_level(s$tau),
       dual = s$loss != "least.squares" || !is.null(own))
}

# The level that the parameters of all are searched for.
leading_level <- function(tau) if (length(tau) > 1L) which.min(abs(tau - 0.5))

# The pairs of classes, first < second.
class_pairs <- function(K) utils::combn(K, 2L)

# One row per pair of weights, with a name each.
weight_pairs <- function(pairs, outcome) {
  if (!is.numeric(pairs) || nrow(pairs) < 1L || !setequal(colnames(pairs), outcome$classes) ||
        ncol(pairs) != 2L || !all(is.finite(pairs) & pairs > 0)) {
    abort("A matrix of `class.weights` needs one column per class, named ",
          name_list(outcome$classes), ", and one row of positive numbers per pair of weights; ",
          describe(pairs), " was given.", arg = "class.weights")
  }
  pairs <- pairs[, outcome$classes, drop = FALSE]
  rownames(pairs) <- pair_names(pairs)
  pairs
}

# The given names; without one, the weights.
pair_names <- function(pairs) {
  text <- function(k) paste0(colnames(pairs)[k], "=", format(pairs[, k], trim = TRUE))
  given <- rownames(pairs) %||% rep("", nrow(pairs))
  absent <- is.na(given) | !nzchar(given)
  make.unique(ifelse(absent, paste(text(1L), text(2L), sep = ","), given))
}

# Columns of the decision values.
decision_names <- function(object) {
  if (identical(object$task, "regression")) {
    return(if (length(object$tau) > 1L) level_names(object$tau))
  }
  classes <- object$classes
  if (!is.null(object$class.weights)) return(rownames(object$class.weights))
  if (length(classes) == 2L) return(paste0(classes[2L], "/", classes[1L]))
  if (!is_ovo(object)) return(classes)
  duel <- class_pairs(length(classes))
  paste0(classes[duel[2L, ]], "/", classes[duel[1L, ]])
}

level_names <- function(tau) vapply(tau, format, "", digits = 15L)

# Whether a prediction has a column per level or per pair of weights.
has_many_answers <- function(object) length(object$tau) > 1L || !is.null(object$class.weights)

# At most six of them.
level_list <- function(tau) {
  text <- level_names(tau)
  if (length(tau) > 6L) text <- c(text[1:3], "...", text[length(tau)])
  paste(text, collapse = ", ")
}

is_ovo <- function(object) identical(object$multiclass, "ovo") && length(object$classes) > 2L

# How the core tells ties apart: decision values that each say a label, or the largest of a row.
labels_by <- function(object) {
  if (object$task == "regression") return("none")
  pairwise <- is_ovo(object) || !is.null(object$class.weights)
  if (length(object$classes) > 2L && !pairwise) "largest" else "sign"
}

# Votes of the pairs; the value 0 goes to the first class of the pair.
count_votes <- function(decision, K) {
  votes <- matrix(0, nrow(decision), K)
  duel <- class_pairs(K)
  for (j in seq_len(ncol(duel))) {
    winner <- duel[1L + (decision[, j] > 0), j]
    at <- cbind(seq_len(nrow(decision)), winner)
    votes[at] <- votes[at] + 1
  }
  votes
}

# The loss of residuals y - f in the unit of y, one column per level.
residual_loss <- function(object, residual) {
  residual <- as.matrix(residual)
  tau <- rep(object$tau %||% 0.5, each = nrow(residual))
  switch(object$loss %||% "least.squares",
    pinball = residual * (tau - (residual < 0)),
    expectile = residual^2 * abs(tau - (residual < 0)),
    epsilon = pmax(abs(residual) - object$epsilon, 0),
    residual^2
  )
}

# One row per row of `error`, made by response_error(), one column per level or pair of weights.
row_loss <- function(object, error) {
  if (object$task == "regression") residual_loss(object, error) else as.matrix(error)
}

error_name <- function(object) {
  if (object$task == "classification") return("misclassification")
  switch(object$loss %||% "least.squares", pinball = "mean pinball loss",
         expectile = "mean expectile loss", epsilon = "mean epsilon-insensitive loss",
         "mean squared error")
}

loss_line <- function(object) {
  pairs <- object$class.weights
  paste0(object$loss,
         if (length(object$tau)) paste0(", tau = ", level_list(object$tau)),
         if (length(object$epsilon)) paste0(", epsilon = ", format(object$epsilon, digits = 4)),
         if (is_ovo(object)) ", one against one",
         if (length(pairs)) paste0(", ", nrow(pairs), plural(nrow(pairs), " pair"), " of weights"))
}

# Levels of tau that a prediction asks for, as columns.
tau_columns <- function(object, tau) {
  if (is.null(tau)) return(seq_along(object$tau))
  if (!length(object$tau)) {
    abort("`tau` has no meaning for this model; it was fitted with loss = \"",
          object$loss %||% "least.squares", "\".", arg = "tau")
  }
  at <- if (is.numeric(tau)) match(signif(tau, 12L), signif(object$tau, 12L)) else NA
  if (anyNA(at) || !length(at)) {
    abort("`tau` must be among the levels of the fit (", level_list(object$tau), "), not ",
          describe(tau), "; refit for others.", arg = "tau")
  }
  at
}
