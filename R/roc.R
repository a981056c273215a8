#' ROC curve of a two-class model
#'
#' The rates of true and false positives over all thresholds of the decision value, and the area
#' under this curve.
#'
#' Without `newdata` they are those of the cross-validated decision values: each row is judged by a
#' model that did not see it. In `plot(fit, type = "roc")` a point marks the threshold 0, where the
#' label changes.
#'
#' @param object A model of this package for two classes.
#' @param newdata,y New rows and their response, as in [importance()]. Rows with a missing value are
#'   left out.
#' @return A data frame with one row per distinct decision value and one before them: `threshold`
#'   (values above it count as the second class), `fpr`, `tpr`, and with several decision functions
#'   the name of the `curve`. Rows count by their case weight where the model has one. The attribute
#'   `"auc"` is the area: the share of pairs of one row of each class in which that of the second
#'   class has the larger decision value, ties counting one half.
#' @seealso [plot.vpsvm()]
#' @examples
#' two <- iris[51:150, ]
#' train <- seq(1, 100, by = 2)
#' fit <- vpsvm(Species ~ Sepal.Length + Sepal.Width, data = two[train, ], seed = 1)
#' attr(roc_curve(fit), "auc")
#' attr(roc_curve(fit, two[-train, ]), "auc")
#' plot(fit, "roc")
#' @export
roc_curve <- function(object, newdata = NULL, y = NULL) {
  rows <- judged_rows(object, newdata, y)
  curves <- lapply(seq_len(ncol(rows$decision)), function(j) {
    one_curve(rows$decision[, j], rows$positive, rows$weights)
  })
  if (length(curves) == 1L) return(curves[[1L]])
  names <- colnames(rows$decision)
  auc <- vapply(curves, attr, 0, "auc")
  out <- do.call(rbind, Map(function(curve, name) cbind(curve, curve = name), curves, names))
  structure(out, row.names = seq_len(nrow(out)), auc = stats::setNames(auc, names))
}

# Decision values, whether the row is of the second class, and weights.
judged_rows <- function(object, newdata, y) {
  check_version(object)
  check_sound(object)
  if (length(object$classes) != 2L) {
    abort("A ROC curve needs a model for two classes; this one is for ",
          if (length(object$classes)) paste(length(object$classes), "classes") else "regression",
          ".", arg = "object")
  }
  rows <- if (is.null(newdata)) cross_validated(object) else new_rows(object, newdata, y)
  used <- which(!is.na(rows$decision[, 1L]) & !is.na(rows$y))
  positive <- rows$y[used] == object$classes[2L]
  if (all(positive) || !any(positive)) {
    abort("A ROC curve needs rows of both classes, ", name_list(object$classes), ".",
          arg = if (is.null(newdata)) "object" else "newdata")
  }
  list(decision = rows$decision[used, , drop = FALSE], positive = positive,
       weights = rows$weights[used] %||% rep(1, length(used)))
}

cross_validated <- function(object) {
  if (is.null(object$cv)) {
    abort("The model has no cross-validated decision values; give `newdata`, or refit it with ",
          "`folds`, as folds = 5.", arg = "newdata")
  }
  object$cv
}

new_rows <- function(object, newdata, y) {
  frame <- match_columns(new_frame(newdata, object$blueprint), object$blueprint)
  object$clip <- FALSE
  list(decision = stats::predict(object, frame, type = "decision"),
       y = given_response(object, newdata, y, nrow(frame)))
}

one_curve <- function(decision, positive, weights) {
  threshold <- sort(unique(decision), decreasing = TRUE)
  at <- factor(match(decision, threshold), seq_along(threshold))
  share <- function(rows) {
    c(0, cumsum(as.vector(tapply(weights * rows, at, sum))) / sum(weights[rows]))
  }
  out <- data.frame(threshold = c(Inf, threshold), fpr = share(!positive), tpr = share(positive))
  width <- diff(out$fpr)
  height <- (out$tpr[-1L] + out$tpr[-nrow(out)]) / 2
  structure(out, auc = sum(width * height))
}

plot_roc <- function(x, newdata, y, ...) {
  curve <- roc_curve(x, newdata, y)
  auc <- attr(curve, "auc")
  parts <- split(curve, curve$curve %||% rep("", nrow(curve)))[names(auc) %||% ""]
  args <- list(
    x = 0:1, y = 0:1, type = "n", asp = 1, xlab = "false positive rate",
    ylab = "true positive rate",
    main = paste("ROC curve,", if (is.null(newdata)) "cross-validated" else "new rows")
  )
  do.call(graphics::plot.default, override(args, ...))
  graphics::abline(0, 1, lty = 2L, col = "grey60")
  colors <- if (length(parts) == 1L) "steelblue" else
    grDevices::hcl.colors(length(parts), "viridis")
  for (j in seq_along(parts)) draw_curve(parts[[j]], colors[j])
  graphics::legend("bottomright", paste0(names(auc), " AUC ", format(auc, digits = 3L)), bty = "n",
                   col = colors, lwd = 2L)
}

# The point where the label changes: values above 0 are of the second class.
draw_curve <- function(curve, color) {
  graphics::lines(curve$fpr, curve$tpr, lwd = 2L, col = color)
  at <- sum(curve$threshold > 0)
  graphics::points(curve$fpr[at], curve$tpr[at], pch = 19L, col = color)
}
