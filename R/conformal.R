# Prediction intervals and sets from what cross-validation left: cv$decision holds for each row the
# decision values of a model that did not see it. Where the fold models are kept, CV+ of Barber,
# Candes, Ramdas and Tibshirani (2021); else the final model stands in for them.

# What intervals, sets and curves need later; NULL without cross-validation.
describe_cv <- function(fit, core, y, weights) {
  validated <- rowSums(is.na(core$cv_decision)) == 0
  if (fit$folds == 0 || !any(validated)) return(NULL)
  decision <- decision_answer(fit, core$cv_decision, "decision")
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

check_interval <- function(object, interval, level, type, no_data) {
  interval <- check_choice(interval, c("none", "conformal"), "interval")
  check_args(level = level)
  if (interval == "none") return(FALSE)
  if (type != "response") {
    abort('interval = "conformal" belongs to type = "response", not "', type, '".', arg = "type")
  }
  if (no_data) abort('interval = "conformal" needs `newdata`.', arg = "newdata")
  if (has_many_answers(object) || is_ovo(object)) {
    abort('interval = "conformal" needs a model with one answer per row (one `tau`, no matrix of ',
          '`class.weights`, multiclass = "ovr"); fit one for it.', arg = "interval")
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
  decision <- by_blocks(all, x, options$memory, function(x) core_predict(all, x, options))
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
  center <- apply(decision, 2L, function(f) decision_response(object, cbind(f)))
  dim(center) <- dim(decision)
  cv <- object$cv
  calibration <- calibration_scores(cv, abs(cv$y - cv$decision), ncol(decision), level)
  fit <- center[, 1L]
  # The fit itself always belongs to its interval.
  cbind(fit = fit, lwr = pmin(fit, -upper_end(-center, calibration)),
        upr = pmax(fit, upper_end(center, calibration)))
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
  count <- max(1L, length(object$classes) - (length(object$classes) == 2L))
  clipped <- clip_decision(object, decision)
  cv <- object$cv
  own <- class_margins(as.matrix(cv$decision))
  score <- own[cbind(seq_along(cv$y), match(cv$y, object$classes))]
  folds <- ncol(decision) %/% count
  calibration <- calibration_scores(cv, score, folds, level)
  better <- matrix(0, nrow(decision), length(object$classes))
  for (g in seq_along(calibration$groups)) {
    first <- (calibration$column[g] - 1L) * count
    margin <- class_margins(clipped[, first + seq_len(count), drop = FALSE])
    group <- calibration$groups[[g]]
    within <- group$total[findInterval(margin, group$score) + 1L]
    better <- better + group$total[length(group$total)] - within
  }
  label <- label_code(clipped[, seq_len(count), drop = FALSE])
  kept <- better < calibration$target | outer(label, seq_along(object$classes), "==")
  all_levels(object, kept) > 0
}

# How far each class is ahead of the best other one.
class_margins <- function(decision) {
  if (ncol(decision) == 1L) return(cbind(-decision, decision))
  out <- decision
  for (k in seq_len(ncol(decision))) {
    out[, k] <- decision[, k] - row_max(decision[, -k, drop = FALSE])
  }
  unname(out)
}

row_max <- function(x) do.call(pmax, lapply(seq_len(ncol(x)), function(j) x[, j]))
