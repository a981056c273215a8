#' Predict with a localized support vector machine
#'
#' @param object A model made by [vpsvm()].
#' @param newdata A matrix, sparse matrix or data frame. Columns are matched by name, extra ones are
#'   dropped, and the response is not needed. If the model or `newdata` has no column names, columns
#'   match by position. A plain vector with one value per column is one row. Without `newdata` the
#'   fitted values are returned.
#' @param type What to return; see Value.
#' @param interval `"conformal"` for prediction intervals (regression) or sets (classes); see below.
#' @param level The share of new rows whose response an interval or set is to cover.
#' @param tau Levels of a model with `loss = "pinball"` or `"expectile"`: a part of those that it
#'   was fitted with, by default all. An interval uses all of them.
#' @param na.action [na.pass()]: rows with missing values give `NA`. [na.omit()]: they are left out.
#'   [na.fail()]: they are an error.
#' @param novel What to do with a level of a factor, a column or one that the formula makes, that no
#'   training row had, even if it was declared: `"error"`, `"na"` (predict `NA`, with a warning) or
#'   `"ignore"` (predict from the other columns).
#' @param threads,memory,verbose As in [vpsvm()]; rows are predicted in blocks that fit `memory`.
#' @param ... Nothing: an unknown argument is an error.
#'
#' @return One entry or row for each row of `newdata`:
#' * `"response"`: a factor with the levels of the training response, or numbers in the unit of `y`.
#' * `"decision"`: a matrix of decision values. Two classes: one column named `"b/a"`, second over
#'   first level, positive for the second. More classes: one column per class, on the scale of -1
#'   (not this class) to 1. The label is the largest before the clip, ties by level order. With
#'   `clip = TRUE` in the fit they lie in \eqn{[-1, 1]}. Values below their own rounding are 0 (see
#'   Ties in [vpsvm()]). For regression the same numbers as `"response"`.
#' * With several levels of `tau`, `"response"` is a matrix with one column per level, named as
#'   `"0.1"`, rising along every row. With a matrix of `class.weights` it is a data frame with one
#'   factor per pair of weights, and `"decision"` has a column for each. With `multiclass = "ovo"`
#'   `"decision"` has one column per pair of classes, named `"b/a"` and positive for b, and the
#'   label is the class with the most votes, ties by level order.
#' * `"prob"`: a matrix with one column per level, rows summing to 1, from a fit with `probability =
#'   TRUE`. They are \eqn{p_k \propto \exp(a f_k + b_k)} with one \eqn{a > 0} (two classes: Platt's
#'   logistic function of \eqn{a f + b}), estimated by maximum likelihood on the cross-validated
#'   decision values. With `multiclass = "ovo"` each pair of classes has such a logistic function,
#'   and these are coupled as by Wu, Lin and Weng. Where the decision values do not tell the classes
#'   apart (a warning of the fit says so), they are the frequencies of the classes in the training
#'   rows. The most probable class is always the label: where the estimate says otherwise (mostly
#'   because of `class.weights`), the label and the classes before it share their probabilities
#'   evenly, the label getting a thousandth more.
#' * `"votes"`: a matrix with one column per level: the share of the chunks of a random partition
#'   that vote for it; otherwise 1 for the label and 0 for the rest. With `multiclass = "ovo"` the
#'   number of pairs that the class wins, on average over the chunks.
#'
#' With `interval = "conformal"`, for regression a matrix with the columns `fit`, `lwr` and `upr`;
#' for classes a logical matrix with one column per level, `TRUE` for the classes in the set. The
#' label is always in its set, so that no set is empty. Not for a matrix of `class.weights`.
#'
#' @section Intervals and sets:
#' They are made of the cross-validated residuals of the fit and hold on average over new rows that
#' come from where the training rows came, whatever the distribution; not given the row, so that
#' where the noise is large they cover less often than where it is small. For classes the residual
#' is how far another class is ahead of the own one; one-versus-rest machines of the hinge tell
#' little about a class between others, and least squares or `multiclass = "ovo"` give smaller sets.
#' Rows count by their case weight.
#'
#' With `final = "average"`, regression and two classes use the CV+ of Barber et al.: every residual
#' is put around the prediction of the fold model that did not see its row. Apart from the selection
#' of `gamma` and `lambda` by the same folds, at least `2 * level - 1` are then covered for certain
#' (less at most \eqn{\sqrt{2 / n}}), and in practice about `level`. With more classes, or
#' `final = "refit"` (as with margins), the fold models are not kept; the residuals are put around
#' the prediction itself. Nothing is certain then, but as the model has seen more rows than the fold
#' models had, coverage is in practice no lower. With `validation = "split"` and given parameters
#' this is split conformal prediction, which covers `level` for certain. Residuals of a random
#' partition are those of single chunks, which makes intervals somewhat too wide.
#'
#' A model with several levels `tau` starts from the span of its lowest and highest level and moves
#' both ends by the same amount, outwards or inwards, until enough cross-validated rows lie inside
#' (Romano, Patterson and Candes). These intervals follow the noise: they are wide where it is
#' large. `fit` is the level nearest to 0.5.
#'
#' At least `level / (1 - level)` cross-validated rows are needed (9 for 0.9, 99 for 0.99); with
#' fewer nothing is excluded, with a warning. A fit with given parameters has them only if `folds`
#' is given.
#'
#' @references Barber, R. F., Candes, E. J., Ramdas, A. and Tibshirani, R. J. (2021) Predictive
#'   inference with the jackknife+. Annals of Statistics 49, 486-507.
#'
#' Romano, Y., Patterson, E. and Candes, E. J. (2019) Conformalized quantile regression. Advances in
#'   Neural Information Processing Systems 32.
#'
#' Wu, T.-F., Lin, C.-J. and Weng, R. C. (2004) Probability estimates for multi-class classification
#'   by pairwise coupling. JMLR 5, 975-1005.
#' @seealso [vpsvm()]
#' @examples
#' fit <- vpsvm(Species ~ ., data = iris, probability = TRUE, seed = 1)
#' predict(fit, iris[c(1, 51, 101), ])
#' predict(fit, iris[c(1, 51, 101), ], type = "prob")
#' predict(fit, iris[c(1, 51, 101), ], type = "decision")
#'
#' # Intervals, and the share of new rows that they cover
#' d <- vp_artificial("V", 1200, seed = 1)
#' train <- 1:400
#' fit <- vpsvm(y ~ x1 + x2, data = d[train, ], seed = 1)
#' p <- predict(fit, d[-train, ], interval = "conformal", level = 0.9)
#' head(p, 3)
#' mean(p[, "lwr"] <= d$y[-train] & d$y[-train] <= p[, "upr"])
#'
#' # Sets of classes
#' train <- seq(1, 150, by = 2)
#' fit <- vpsvm(Species ~ ., data = iris[train, ], seed = 1)
#' s <- predict(fit, iris[-train, ], interval = "conformal", level = 0.97)
#' table(size = rowSums(s), iris$Species[-train])
#' mean(s[cbind(seq_len(nrow(s)), iris$Species[-train])])
#' @export
predict.vpsvm <- function(object, newdata, type = c("response", "decision", "prob", "votes"),
                          interval = c("none", "conformal"), level = 0.9, tau = NULL,
                          na.action = stats::na.pass, novel = c("error", "na", "ignore"),
                          threads = NULL, memory = NULL,
                          verbose = getOption("flexkern.verbose", interactive()), ...) {
  check_dots(list(...), setdiff(names(formals(predict.vpsvm)), "..."), "predict")
  check_args(verbose = verbose)
  type <- check_choice(type, c("response", "decision", "prob", "votes"), "type")
  check_prediction(object, type, missing(newdata))
  with_interval <- check_interval(object, interval, level, type, tau, missing(newdata))
  levels <- tau_columns(object, tau)
  if (missing(newdata)) return(chosen_levels(stats::fitted(object), levels))
  options <- list(threads = resolve_threads(threads), memory = resolve_memory(memory),
                  isa = resolve_isa(), verbose = verbose)
  new <- forge(newdata, object$blueprint, na.action, novel)
  if (with_interval) return(in_place(conformal(object, new$x, level, options), new))
  values <- if (type == "votes") votes else core_predict
  answer <- by_blocks(object, new$x, options$memory, function(x) values(object, x, options),
                      extra = limits_per_row(object))
  if (type != "votes") answer <- chosen_levels(decision_answer(object, answer, type), levels)
  in_place(answer, new)
}

# Columns of a matrix with one column per level.
chosen_levels <- function(answer, levels) {
  if (is.matrix(answer) && length(levels)) answer[, levels, drop = FALSE] else answer
}

check_prediction <- function(object, type, no_data) {
  check_version(object)
  check_sound(object)
  if (object$task == "regression" && type %in% c("prob", "votes")) {
    abort('type = "', type, '" needs a classification model; this is regression.', arg = "type")
  }
  if (!is.null(object$class.weights) && type %in% c("prob", "votes")) {
    abort('type = "', type, '" needs one weight per class, not a matrix of `class.weights`.',
          arg = "type")
  }
  if (type == "prob" && is.null(object$calibration)) {
    abort("The model was fitted without probabilities; refit with probability = TRUE.",
          arg = "type")
  }
  if (no_data && type != "response") {
    abort('type = "', type, '" needs `newdata`.', arg = "newdata")
  }
}

# What labels are known to, for a cell and in all.
limits_per_row <- function(object) {
  if (labels_by(object) == "none") 0 else 2 * ncol(object$coef)
}

core_predict <- function(object, x, options, cell = NULL) {
  model <- object[c("sv", "coef", "intercept", "offset", "gamma", "kernel", "degree", "coef0",
                    "constant", "centers")]
  model$type <- if (object$partition == "bounded") "voronoi" else object$partition
  model$cell_of_center <- object$cell.of.center
  model$nodes <- object$nodes
  model$labels <- labels_by(object)
  if (object$kernel != "radial") model$shift <- implicit_shift(object$sv, object$scaling)
  if (!is.null(cell)) model <- one_cell(model, cell)
  decision <- from_core(fk_vp_predict(x, model, options))
  if (!all(is.finite(decision))) {
    abort("The ", object$kernel, " kernel overflows on `newdata`; its values are too far from the ",
          "training data.", arg = "newdata")
  }
  decision
}

one_cell <- function(model, cell) {
  rows <- seq_len(model$offset[cell + 1L] - model$offset[cell]) + model$offset[cell]
  model$sv <- model$sv[rows, , drop = FALSE]
  model$coef <- model$coef[rows, , drop = FALSE]
  model$intercept <- model$intercept[cell, , drop = FALSE]
  model$offset <- c(0L, length(rows))
  model$gamma <- model$gamma[cell]
  model$type <- "none"
  model
}

# ---- from decision values to answers ---------------------------------------------------------

decision_answer <- function(object, decision, type) {
  switch(type,
    response = decision_response(object, decision),
    decision = if (object$task == "regression") decision_response(object, decision) else
      named_decision(object, clip_decision(object, decision)),
    prob = probabilities(object, decision)
  )
}

clip_decision <- function(object, decision) {
  if (object$clip) decision[] <- pmin(pmax(decision, -1), 1)
  decision
}

# Labels do not see the clip: of two values beyond it the larger one counts.
decision_response <- function(object, decision) {
  if (object$task == "regression") {
    value <- clip_decision(object, decision) * object$label[["half"]] + object$label[["center"]]
    return(if (ncol(value) == 1L) value[, 1L] else rearranged(value, decision_names(object)))
  }
  if (!is.null(object$class.weights)) return(labels_by_pair(object, decision))
  class_label(object, label_code(decision, object))
}

# Levels do not cross: the values of each row in rising order (Chernozhukov, Fernandez-Val and
# Galichon 2010).
rearranged <- function(value, names) {
  dimnames(value) <- list(NULL, names)
  last <- ncol(value)
  crossed <- which(rowSums(value[, -1L, drop = FALSE] < value[, -last, drop = FALSE]) > 0)
  if (length(crossed)) value[crossed, ] <- t(apply(value[crossed, , drop = FALSE], 1L, sort))
  value
}

# One column of labels per pair of class weights.
labels_by_pair <- function(object, decision) {
  label <- lapply(seq_len(ncol(decision)), function(j) {
    class_label(object, label_code(decision[, j, drop = FALSE]))
  })
  names(label) <- decision_names(object)
  as.data.frame(label, optional = TRUE)
}

# Ties go to the first level.
label_code <- function(decision, object = NULL) {
  if (is_ovo(object)) decision <- count_votes(decision, length(object$classes))
  if (ncol(decision) == 1L) return(1L + (decision[, 1L] > 0))
  decision <- settle_rows(decision, rounding_of(row_max(abs(decision))))
  max.col(decision, ties.method = "first")
}

class_label <- function(object, code) {
  factor(object$classes[code], levels = object$levels, ordered = object$ordered)
}

named_decision <- function(object, decision, rows = NULL) {
  matrix(decision, nrow(decision), ncol(decision), dimnames = list(rows, decision_names(object)))
}

# One row per vote: the share of the models that say each class.
votes <- function(object, x, options) {
  cells <- if (object$partition == "random") as.list(seq_along(object$gamma)) else list(NULL)
  total <- 0
  for (cell in cells) {
    decision <- core_predict(object, x, options, cell)
    total <- total + if (is_ovo(object)) count_votes(decision, length(object$classes)) else
      outer(label_code(decision), seq_along(object$classes), "==")
  }
  all_levels(object, total / length(cells))
}

# Columns for every level of the response; those without observations hold 0.
all_levels <- function(object, by_class) {
  out <- matrix(0, nrow(by_class), length(object$levels), dimnames = list(NULL, object$levels))
  out[, match(object$classes, object$levels)] <- by_class
  out
}

# NA where the row was incomplete.
in_place <- function(answer, new) {
  if (length(new$row) == new$n) return(answer)
  at <- match(seq_len(new$n), new$row)
  if (length(dim(answer)) == 2L) {
    answer <- answer[at, , drop = FALSE]
    if (is.data.frame(answer)) rownames(answer) <- NULL
    return(answer)
  }
  answer[at]
}
