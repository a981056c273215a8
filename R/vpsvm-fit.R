# The fit: scale, partition, run the core, pack a plain list.

vpsvm_fit <- function(input, s) {
  started <- proc.time()[["elapsed"]]
  given <- input
  input <- weighted_rows(given)
  outcome <- input$outcome %||% outcome(input$y, s$type)
  s$loss <- resolve_loss(s, outcome)
  scaling <- fit_scaling(input$x, input$blueprint, s)
  x <- apply_scaling(input$x, scaling)
  if (is_kernel_object(s$hierarchy)) s$nodes <- design_nodes(s$hierarchy, input, x)
  shift <- if (s$kernel != "radial") implicit_shift(x, scaling)
  own <- c("gamma", "lambda")[c(is.numeric(s$gamma), length(c(s$lambda, s$cost)) > 0L)]
  s["gamma"] <- list(resolve_gamma(s$gamma, x, outcome, input$weights, s))
  s <- fit_settings(s, x, outcome, shift)
  s$constant <- kernel_constant(s, x, shift, input$weights)
  s$tasks <- tasks <- learning_tasks(outcome, input, s)
  refuse_idle(s, idle_for_task(s, outcome), vpsvm.default)
  s$labels <- labels_by(c(describe_outcome(outcome), describe_loss(s)))
  s[c("epsilon", "core.epsilon")] <- tube(s, outcome, input)
  s["first"] <- list(first_center(s, given))
  random <- has_random_parts(s, nrow(x))
  seed <- if (random) draw_seed(s$seed) else 0
  part <- make_partition(x, s, seed)
  if (s$final == "auto") s$final <- if (part$overlap > 0) "refit" else "average"
  warn_split(outcome, part$cell, s)
  core <- from_core(
    fk_vp_fit(x, tasks$target, tasks$weights, outcome$code, part$cell,
              c(core_options(s, seed, shift), part["margin"]))
  )
  core <- support_vectors(core)
  fit <- c(
    list(call = NULL, version = package_version_string()),
    describe_outcome(outcome), describe_loss(s),
    s[c("kernel", "degree", "coef0", "constant", "clip", "final", "validation")],
    if (!is.null(s$nodes)) s["nodes"],
    list(folds = s$folds, seed = if (random) seed else NA_real_, n = nrow(x),
         blueprint = input$blueprint, scaling = scaling, na.action = input$na.action),
    describe_partition(part, x), describe_core(core, x), list(grid.given = own)
  )
  class(fit) <- "vpsvm"
  if (has_many_answers(fit)) fit$own.risk <- named_decision(fit, core$own_risk)
  fit <- add_training_results(fit, core, outcome, input, x, s)
  if (ncol(core$fold_coef)) fit$fold.coef <- core$fold_coef
  fit$cv <- describe_cv(fit, core, input$y, input$weights)
  if (s$probability) fit$calibration <- calibrate(core$cv_decision, outcome, input$weights, fit)
  fit <- add_unused_rows(fit, given, s)
  # For the plot of a curve and its data.
  if (ncol(x) == 1L) fit$at <- as.vector(given$x[, 1L])
  fit$seconds <- c(core$seconds, total = proc.time()[["elapsed"]] - started)
  warn_convergence(fit, s)
  fit
}

# Rows of weight 0 are as good as left out: no part of the fit sees them.
weighted_rows <- function(input) {
  rows <- which(input$weights > 0)
  if (length(rows) == length(input$weights)) return(input)
  if (length(rows) < 2L) {
    abort("A fit needs at least 2 rows of positive weight, not ", length(rows), ".",
          arg = "weights")
  }
  input$x <- input$x[rows, , drop = FALSE]
  input[c("y", "weights")] <- list(input$y[rows], input$weights[rows])
  input
}

# They are answered like new rows, so that the results have an entry for every row given.
add_unused_rows <- function(fit, given, s) {
  unused <- which(given$weights == 0)
  if (length(unused) == 0L) return(fit)
  used <- which(given$weights > 0)
  x <- model_rows(fit, given$x[unused, , drop = FALSE])
  decision <- core_predict(fit, x, s[c("threads", "memory", "verbose")])
  cell <- switch(fit$partition, none = 1L, random = NA_integer_,
                 fit$cell.of.center[fk_assign(x, fit$centers, s$threads)])
  place <- order(c(used, unused))
  fit$fitted <- stack_rows(fit$fitted, decision_response(fit, decision), place)
  fit$residuals <- response_error(fit, fit$fitted, given$y)
  fit$cell <- c(fit$cell, rep_len(cell, length(unused)))[place]
  fit$index <- used[fit$index]
  fit$cv <- place_cv(fit$cv, place)
  fit$unused <- unused
  fit
}

# Responses of some rows and of others, in this order.
stack_rows <- function(some, others, order) {
  if (length(dim(some)) < 2L) return(c(some, others)[order])
  out <- rbind(some, others)[order, , drop = FALSE]
  if (is.data.frame(out)) rownames(out) <- NULL
  out
}

# What can only be checked with the data at hand.
fit_settings <- function(s, x, outcome, shift) {
  if (!s$folds_given) s$folds <- min(s$folds, nrow(x))
  if (s$validation == "cv" && s$folds > nrow(x)) {
    abort("`folds` = ", s$folds, " exceeds the ", nrow(x), " rows.", arg = "folds")
  }
  check_probability_task(s, outcome)
  if (s$kernel != "radial") s$gamma <- s$gamma %||% switch(s$kernel, linear = 1, 1 / ncol(x))
  check_kernel_range(x, s, shift)
  if (outcome$task == "classification" && s$folds > 1) warn_single_class(outcome)
  s
}

check_probability_task <- function(s, outcome) {
  if (s$probability && outcome$task != "classification") {
    abort("`probability` = TRUE needs a factor response; this is regression.", arg = "probability")
  }
}

# The first half of all rows, or of every cell's, trains: rows 1 to floor(n / 2) + 1.
warn_split <- function(outcome, cell, s) {
  if (s$validation == "cv" || s$folds == 0) return(invisible())
  of <- if (s$validation == "split") rep(1L, length(cell)) else cell
  trains <- stats::ave(of, of, FUN = seq_along) <= tabulate(of)[of] %/% 2 + 1
  bare <- length(unique(cell)) - length(unique(cell[trains]))
  if (bare && s$final == "average") {
    warn(bare, " of ", length(unique(cell)), " cells have no row among those that train (the ",
         "first half of all), so the decision there is 0; shuffle the rows, or use larger cells ",
         'or validation = "split.cells".')
  }
  if (outcome$task != "classification") return(invisible())
  absent <- setdiff(outcome$classes, outcome$classes[outcome$code[trains]])
  if (length(absent)) {
    warn(plural(length(absent), "Class ", "Classes "), name_list(absent),
         plural(length(absent), " is", " are"), " not among the rows that train (the first half",
         if (s$validation == "split.cells") " of each cell", "), so nothing was learned of it; ",
         'shuffle the rows or use validation = "cv".')
  }
}

# A validation split takes the first half: nothing random.
has_random_parts <- function(s, n) {
  plan <- partition_plan(s, n)
  s$folds > 0 && s$validation == "cv" || plan$type != "none" && is.null(plan$first)
}

describe_outcome <- function(outcome) {
  out <- outcome[c("task", "levels", "classes", "ordered")]
  c(out[!vapply(out, is.null, NA)], list(label = c(center = outcome$center, half = outcome$half)))
}

describe_loss <- function(s) {
  out <- list(loss = s$loss, tau = s$tau, epsilon = if (s$loss == "epsilon") s$epsilon,
              multiclass = s$multiclass, class.weights = s$tasks$pairs)
  out[!vapply(out, is.null, NA)]
}

# Half the width of the tube, in the unit of y and in that of the core.
tube <- function(s, outcome, input) {
  if (s$loss != "epsilon") return(list(s$epsilon, 0))
  w <- s$tasks$weights
  y <- outcome$target[, 1L]
  # As stats::sd() has it: the lightest row counts once.
  n <- sum(w) / min(w)
  spread <- sqrt(sum(w * (y - sum(w * y) / sum(w))^2) / sum(w) * n / (n - 1))
  list(s$epsilon * spread * outcome$half, s$epsilon * spread)
}

describe_partition <- function(part, x) {
  list(partition = part$type, radius = part$radius, overlap = part$overlap, cell = part$cell,
       cell.size = part$size, centers = x[part$centers, , drop = FALSE],
       cell.of.center = part$cell_of_center)
}

describe_core <- function(core, x) {
  grid <- Map(function(...) list(...), gamma = core$grid_gamma, lambda = core$grid_lambda,
              risk = core$risk, settled = core$settled, tried = core$tried,
              each = core$each)
  names(grid) <- NULL
  c(
    list(sv = x[core$index, , drop = FALSE]),
    core[c("index", "offset", "coef", "intercept", "gamma", "lambda")],
    list(cv.risk = core$cv_risk, grid = grid, search.rows = core$searched),
    core[c("converged", "iterations", "gap", "threads", "bytes")]
  )
}

# Rows whose coefficients are all exactly 0, in the fold models too, have no part in the model.
support_vectors <- function(core) {
  used <- rowSums(core$coef != 0) + rowSums(core$fold_coef != 0) > 0
  core$offset <- c(0L, cumsum(used))[core$offset + 1L]
  core$index <- core$index[used]
  core[c("coef", "fold_coef")] <- lapply(core[c("coef", "fold_coef")],
                                         function(v) v[used, , drop = FALSE])
  core
}

add_training_results <- function(fit, core, outcome, input, x, s) {
  # A chunk's model is not the model: the mean of all chunks predicts.
  decision <- if (fit$partition == "random") {
    core_predict(fit, x, s[c("threads", "memory", "verbose")])
  } else {
    core$fitted
  }
  fit$fitted <- decision_response(fit, decision)
  fit$residuals <- response_error(fit, fit$fitted, input$y)
  fit$cv.error <- cv_error(fit, core, input$y, input$weights)
  fit
}

# Of the rows that were held out.
cv_error <- function(fit, core, y, weights) {
  validated <- which(rowSums(is.na(core$cv_decision)) == 0)
  if (length(validated) == 0L || fit$folds == 0) return(NA_real_)
  held_out <- decision_response(fit, core$cv_decision[validated, , drop = FALSE])
  error <- response_error(fit, held_out, y[validated])
  w <- weights[validated] %||% rep(1, length(validated))
  mean(colSums(w * row_loss(fit, error)) / sum(w))
}

# A matrix where there are several responses for a row.
response_error <- function(fit, response, y) {
  if (fit$task == "regression") return(as.numeric(y) - response)
  wrong <- function(label) as.numeric(as.character(label) != as.character(y))
  if (is.data.frame(response)) vapply(response, wrong, numeric(length(y))) else wrong(response)
}

warn_convergence <- function(fit, s) {
  open <- sum(!fit$converged)
  if (open == 0L) return(invisible())
  m <- length(fit$converged)
  warn("The solver did not converge", if (m > 1L) paste0(" in ", open, " of ", m, " cells"),
       " after `max.iter` = ", s$max.iter, plural(s$max.iter, " step"),
       "; raise `max.iter` or `tol`, or scale the data.")
}
