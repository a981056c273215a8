# The fit: scale, lay out the views, run the core, pack a plain list.

mekl_fit <- function(input, s) {
  started <- proc.time()[["elapsed"]]
  mekl_refusals(input, s)
  given <- input
  input <- weighted_rows(given)
  outcome <- outcome(input$y, s$type)
  scaling <- learn_scaling(input$x, input$blueprint, s$scale)
  x <- apply_scaling(input$x, scaling)
  s <- mekl_data_settings(s, outcome)
  weights <- row_weights(input$weights, s$class.weights, outcome)
  views <- mekl_kernels(s, x, input$blueprint)
  s$label <- check_mekl_memory(s, outcome, views)
  views <- with_values(views, x, s)
  random <- s$folds > 0 || s$basis == "random"
  seed <- if (random) draw_seed(s$seed) else 0
  fold <- if (s$folds > 0) fk_folds(outcome$code, as.integer(s$folds), seed)
  core <- from_core(
    fk_mekl_fit(x, outcome$code, weights, lapply(views, core_view),
                mekl_core_options(s, outcome, fold, seed))
  )
  fit <- c(
    list(call = NULL, version = package_version_string()), describe_outcome(outcome),
    s[c("method", "basis", "penalties")],
    list(pairing = s$multiclass, folds = s$folds, fold = fold,
         seed = if (random) seed else NA_real_, n = nrow(x), blueprint = input$blueprint,
         scaling = scaling, na.action = input$na.action, clip = FALSE,
         kernels = lapply(views, function(v) v[setdiff(names(v), "values")])),
    describe_groups(core, views, outcome, x, s)
  )
  class(fit) <- unique(c(s$method, "rmekl"))
  fit <- add_mekl_results(fit, core, given, input, outcome, weights, s)
  fit$seconds <- proc.time()[["elapsed"]] - started
  warn_machines(fit, s)
  fit
}

mekl_refusals <- function(input, s) {
  if (is.numeric(input$y) && s$type == "auto") {
    abort(s$method, "() needs classes, but `y` is numeric (regression); use vpsvm() or kbp(), or ",
          "give factor(y).", arg = "y")
  }
  if (is_sparse(input$x)) {
    abort(s$method, "() takes no sparse matrix; if it fits in memory, give as.matrix(x).",
          arg = "x")
  }
}

# ---- from the core's groups to a model -----------------------------------------------------------

describe_groups <- function(core, views, outcome, x, s) {
  machines <- describe_machines(core, outcome, s)
  found <- describe_views(core, views)
  check_mekl_views(found, machines, s)
  each <- unlist(lapply(core, `[[`, "views"), recursive = FALSE)
  rows <- sort(unique(unlist(lapply(each, `[[`, "basis"))))
  runs <- unlist(lapply(core, `[[`, "machines"), recursive = FALSE)
  check_finite_machines(each, runs, found, machines, s)
  list(
    machines = machines, views = found[setdiff(names(found), "indefinite")],
    sv = x[rows, , drop = FALSE], index = rows, sv.class = outcome$code[rows],
    position = lapply(each, function(v) match(v$basis, rows)),
    coef = lapply(each, function(v) {
      v$coef[, final_columns(ncol(v$coef), s$folds), drop = FALSE]
    }),
    intercept = vapply(runs, function(m) m$intercept[1L], 0),
    objective = lapply(runs, `[[`, "objective"),
    grid = if (s$searched) lapply(runs, function(m) mekl_surface(m, s))
  )
}

check_finite_machines <- function(each, runs, views, machines, s) {
  wrong <- vapply(runs, function(m) !all(is.finite(m$intercept)), NA)
  bad <- views$group[vapply(each, function(v) !all(is.finite(v$coef)), NA)]
  wrong <- which(wrong | machines$group %in% bad)
  if (length(wrong) == 0L) return(invisible())
  names <- names(s$penalties)
  at <- machines[wrong[1L], ]
  abort("The machine ", at$name, " overflows with ", names[1L], " = ", format(at[[names[1L]]]),
        if (length(names) == 2L && s$method != "mhks" && s$method != "kmhks")
          paste0(" and ", names[2L], " = ", format(at[[names[2L]]])),
        "; use values nearer to 1, or kernels of smaller values.", arg = names[1L])
}

# The core gives each machine's final model and then those without a fold.
final_columns <- function(columns, folds) {
  seq(1L, by = 1L + folds, length.out = columns / (1 + folds))
}

mekl_surface <- function(m, s) {
  shape <- function(v) matrix(v, length(m$first), byrow = TRUE)
  penalties <- stats::setNames(m[c("first", "second")], names(s$penalties))
  c(penalties, list(error = shape(m$error), loss = shape(m$loss)))
}

describe_machines <- function(core, outcome, s) {
  runs <- unlist(lapply(core, `[[`, "machines"), recursive = FALSE)
  of <- function(f, type) vapply(runs, f, type)
  positive <- of(function(m) m$positive, 1L)
  negative <- of(function(m) m$negative, 1L)
  against <- ifelse(negative == 0L, "rest", outcome$classes[pmax(negative, 1L)])
  out <- data.frame(
    name = paste0(outcome$classes[positive], "/", against),
    group = rep(seq_along(core), lengths(lapply(core, `[[`, "machines"))),
    positive = positive, negative = negative, first = of(function(m) m$chosen[1L], 0),
    second = of(function(m) m$chosen[2L], 0), cv.error = of(function(m) m$cv_error, 0),
    iterations = of(function(m) length(m$objective), 1L),
    objective = of(function(m) c(NA, m$objective)[length(m$objective) + 1L], 0),
    converged = of(function(m) m$converged, NA),
    edge = of(function(m) edge_words(names(s$penalties), m$edge), "")
  )
  names(out)[5:6] <- names(s$penalties)
  out
}

describe_views <- function(core, views) {
  each <- unlist(lapply(core, `[[`, "views"), recursive = FALSE)
  of <- function(name, type) vapply(each, `[[`, type, name)
  kernel <- of("kernel", 1L)
  radial <- vapply(views, kernel_word, "")[kernel] == "radial"
  data.frame(
    group = rep(seq_along(core), each = length(views)), kernel = kernel,
    name = vapply(views, `[[`, "", "name")[kernel],
    gamma = ifelse(radial, of("gamma", 0), NA_real_), rank = of("rank", 1L),
    size = vapply(each, function(v) length(v$basis), 1L), indefinite = of("indefinite", NA)
  )
}

# ---- training results ----------------------------------------------------------------------------

add_mekl_results <- function(fit, core, given, input, outcome, weights, s) {
  options <- s[c("threads", "memory", "verbose")]
  options$isa <- resolve_isa()
  fit$cv.error <- NA_real_
  if (s$folds > 0) {
    held_out <- mekl_scores(fit, mekl_held_out(fit, core, input$x, options))
    error <- response_error(fit, decision_response(fit, held_out), input$y)
    fit$cv.error <- sum(weights * error) / sum(weights)
    if (s$probability) fit$calibration <- calibrate(held_out, outcome, input$weights, fit)
  }
  scores <- mekl_by_blocks(fit, given$x, options)
  fit$fitted <- decision_response(fit, scores)
  fit$residuals <- response_error(fit, fit$fitted, given$y)
  if (nrow(input$x) < nrow(given$x)) {
    fit$index <- which(given$weights > 0)[fit$index]
    fit$unused <- which(given$weights == 0)
  }
  fit
}

# Each row by the machines that were trained without its fold.
mekl_held_out <- function(fit, core, x, options) {
  each <- unlist(lapply(core, `[[`, "views"), recursive = FALSE)
  runs <- unlist(lapply(core, `[[`, "machines"), recursive = FALSE)
  out <- matrix(0, nrow(x), length(runs))
  for (f in seq_len(fit$folds)) {
    part <- fit
    part$coef <- lapply(each, function(v) {
      v$coef[, final_columns(ncol(v$coef), fit$folds) + f * (ncol(v$coef) > 0), drop = FALSE]
    })
    part$intercept <- vapply(runs, function(m) m$intercept[1L + f], 0)
    rows <- which(fit$fold == f)
    out[rows, ] <- mekl_values(part, model_rows(fit, x[rows, , drop = FALSE]), options)
  }
  out
}

warn_machines <- function(fit, s) {
  failed <- !fit$machines$converged
  if (!any(failed)) return(invisible())
  most <- max(fit$machines$iterations[failed])
  warn(sum(failed), " of ", nrow(fit$machines), plural(nrow(fit$machines), " machine"), " did not ",
       "converge in ", most, plural(most, " iteration"), "; raise ",
       if (most == s$max.iter) "`max.iter` or ", "`xi`.")
}
