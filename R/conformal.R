# Prediction intervals and sets from what cross-validation left: cv$decision holds for each row the
# decision values of a model that did not see it. Where the fold models are kept, CV+ of Barber,
# Candes, Ramdas and Tibshirani (2021); else the final model stands in for them.

# What intervals, sets and curves need later; NULL without cross-validation.
describe_cv <- function(fit, core, y, weights) {
  validated <- rowSums(is.na(core$cv_decision)) == 0
  if (fit$folds == 0 || !any(validated)) return(NULL)
  # Unclipped, as ranks need no ties.
  decision <- if (fit$task == "regression") decision_response(fit, core$cv_decision) else
    named_decision(fit, core$cv_decision)
  y <- if (fit$task == "regression") as.numeric(y) else
    class_label(fit, match(as.character(y), fit$classes))
  list(decision = decision, y = y, fold = core$fold, weights = weights)
}

# Rows that the fit left out stand in their place, never held out.
place_cv <- function(cv, place) {
  if (is.null(cv)) return(NULL)
  place[place > length(cv$y)] <- NA
  lapply(cv, function(v) if (is.matrix(v)) v[place, , drop = FALSE] else v[place])
}

check_interval <- function(object, interval, level, type, tau, no_data) {
  interval <- check_choice(interval, c("none", "conformal"), "interval")
  check_args(level = level)
  if (interval == "none") {
    if (is_default(level, predict.vpsvm, "level")) return(FALSE)
    abort('`level` has no meaning without an interval; give interval = "conformal" or leave it ',
          "out.", arg = "level")
  }
  if (type != "response") {
    abort('interval = "conformal" belongs to type = "response", not "', type, '".', arg = "type")
  }
  if (no_data) abort('interval = "conformal" needs `newdata`.', arg = "newdata")
  if (!is.null(tau)) {
    abort('interval = "conformal" uses all levels of the fit; leave `tau` out.', arg = "tau")
  }
  if (!is.null(object$class.weights)) {
    abort('interval = "conformal" needs one weight per class, not a matrix of `class.weights`.',
          arg = "interval")
  }
  if (is.null(object$cv)) {
    abort("The model has no cross-validated residuals, which intervals are made of; refit it with ",
          "`folds`, as folds = 5.", arg = "interval")
  }
  TRUE
}

# The model with its fold models as further decision functions.
with_folds <- function(object) {
  folds <- NCOL(object$fold.coef)
  if (is.null(object$fold.coef) || folds == 0L) return(object)
  object$coef <- cbind(object$coef, object$fold.coef)
  object$intercept <- object$intercept[, rep(1L, folds + 1L), drop = FALSE]
  object
}

conformal <- function(object, x, level, options) {
  all <- with_folds(object)
  decision <- by_blocks(all, x, options$memory, function(x) core_predict(all, x, options),
                        extra = limits_per_row(all))
  answer <- if (object$task == "regression") conformal_interval else conformal_set
  answer(object, decision, level)
}

# Scores of the held-out rows by the column of `decision` that did not see them: sorted, with the
# sums of their weights. `target` is the weight that a share `level` of the held-out rows and a new
# one, of mean weight, has.
calibration_scores <- function(cv, score, columns, level) {
  used <- which(!is.na(score))
  w <- (cv$weights %||% rep(1, length(score)))[used]
  column <- if (columns > 1L) cv$fold[used] + 1L else rep(1L, length(used))
  column[column > columns] <- 1L
  groups <- lapply(split(seq_along(used), column), function(i) {
    i <- i[order(score[used][i])]
    list(score = score[used][i], total = c(0, cumsum(w[i])))
  })
  target <- level * (sum(w) + mean(w)) * (1 - 1e-12)
  if (target > sum(w)) {
    warn("level = ", format(level), " needs at least ", ceiling(level / (1 - level) - 1e-9),
         " cross-validated rows, and there are ", length(used),
         "; nothing is excluded. Lower `level`.")
  }
  list(column = as.integer(names(groups)), groups = groups, target = target, sum = sum(w),
       pooled = list(score = sort(score[used]), total = cumsum(w[order(score[used])])))
}

conformal_interval <- function(object, decision, level) {
  parts <- (if (length(object$tau) > 1L) level_parts else center_parts)(object, decision)
  calibration <- calibration_scores(object$cv, parts$score, ncol(parts$high), level)
  # The fit itself always belongs to its interval.
  cbind(fit = parts$fit, lwr = pmin(parts$fit, -upper_end(-parts$low, calibration)),
        upr = pmax(parts$fit, upper_end(parts$high, calibration)))
}

center_parts <- function(object, decision) {
  center <- apply(decision, 2L, function(f) decision_response(object, cbind(f)))
  dim(center) <- dim(decision)
  list(fit = center[, 1L], low = center, high = center,
       score = abs(object$cv$y - object$cv$decision))
}

# Several levels: how far the response is outside of the lowest and the highest, negative inside
# (Romano, Patterson and Candes 2019).
level_parts <- function(object, decision) {
  value <- decision_response(object, decision)
  last <- ncol(value)
  cv <- object$cv
  colnames(value) <- NULL
  list(fit = value[, which.min(abs(object$tau - 0.5))], low = value[, 1L, drop = FALSE],
       high = value[, last, drop = FALSE],
       score = pmax(cv$decision[, 1L] - cv$y, cv$y - cv$decision[, last]))
}

# The smallest t with weight `target` of center + score <= t. It lies between the ends that the
# smallest and the largest center would have alone.
upper_end <- function(center, calibration) {
  m <- nrow(center)
  if (calibration$target > calibration$sum) return(rep(Inf, m))
  center <- center[, calibration$column, drop = FALSE]
  pooled <- calibration$pooled
  rank <- 1L + sum(pooled$total < calibration$target)
  score <- pooled$score[min(rank, length(pooled$score))]
  lower <- score - row_max(-center)
  upper <- score + row_max(center)
  if (ncol(center) == 1L) return(upper)
  for (halving in 1:40) {
    middle <- lower + (upper - lower) / 2
    reached <- weight_within(center, middle, calibration$groups) >= calibration$target
    upper[reached] <- middle[reached]
    lower[!reached] <- middle[!reached]
  }
  upper
}

weight_within <- function(center, t, groups) {
  within <- numeric(length(t))
  for (g in seq_along(groups)) {
    within <- within + groups[[g]]$total[findInterval(t - center[, g], groups[[g]]$score) + 1L]
  }
  within
}

# A class is left out when `target` of the held-out rows fit their own class better than the new
# row fits this one. The label never is.
conformal_set <- function(object, decision, level) {
  count <- length(decision_names(object))
  cv <- object$cv
  margins <- function(decision) class_margins(rival_scores(object, decision))
  score <- margins(cv$decision)[cbind(seq_along(cv$y), match(cv$y, object$classes))]
  calibration <- calibration_scores(cv, score, ncol(decision) %/% count, level)
  better <- 0
  for (g in seq_along(calibration$groups)) {
    first <- (calibration$column[g] - 1L) * count
    group <- calibration$groups[[g]]
    margin <- margins(decision[, first + seq_len(count), drop = FALSE])
    within <- group$total[findInterval(margin, group$score) + 1L]
    better <- better + group$total[length(group$total)] - within
  }
  final <- decision[, seq_len(count), drop = FALSE]
  is_label <- outer(label_code(final, object), seq_along(object$classes), "==")
  all_levels(object, better < calibration$target | is_label) > 0
}

# One column per class; one against one, the mean over the pairs of a class.
rival_scores <- function(object, decision) {
  if (!is_ovo(object)) return(class_scores(decision))
  duel <- class_pairs(length(object$classes))
  sums <- vapply(seq_along(object$classes), function(k) {
    rowMeans(cbind(decision[, duel[2L, ] == k], -decision[, duel[1L, ] == k]))
  }, numeric(nrow(decision)))
  matrix(sums, nrow(decision))
}

# How far each class is ahead of the best other one.
class_margins <- function(decision) {
  out <- decision
  for (k in seq_len(ncol(decision))) {
    out[, k] <- decision[, k] - row_max(decision[, -k, drop = FALSE])
  }
  unname(out)
}

row_max <- function(x) do.call(pmax, lapply(seq_len(ncol(x)), function(j) x[, j]))
