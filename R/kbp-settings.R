# From the arguments of kbp() to checked settings and to the options of the core.

kbp_settings <- function(s, folds_asked) {
  s$key <- check_choice(s$key, c("median", "min"), "key")
  s$method <- check_choice(s$method, c("lasso", "lar", "mp", "omp", "prefit"), "method")
  s$stop <- check_choice(
    s$stop, c("cv.l1", "cv.nu", "random", "trap", "whiteness", "loss", "none"), "stop"
  )
  s$trap.type <- check_choice(s$trap.type, c("normal", "uniform"), "trap.type")
  s$intercept <- check_choice(s$intercept, c("center", "source"), "intercept")
  s$device <- check_device(s$device)
  s$last.step <- check_choice(s$last.step, c("lars", "ols"), "last.step")
  check_values(s[intersect(names(s), names(vocabulary))])
  s["threads"] <- resolve_threads(s$threads)
  s["memory"] <- resolve_memory(s$memory)
  check_bandwidths(s$bandwidths)
  s$bound_asked <- !is.null(s$bound)
  s["bound"] <- list(check_bound(s$bound, s$stop))
  s["traps"] <- list(check_traps(s$traps, s$stop))
  if (s$method == "mp" && s$last.step == "ols") {
    abort('`last.step` = "ols" has no meaning for method = "mp"; use method = "omp", which fits ',
          "its sources by least squares at every step.", arg = "last.step")
  }
  s$folds_asked <- folds_asked
  refuse_idle(s, idle_in_kbp(s), kbp.default)
  s
}

check_bandwidths <- function(bandwidths) {
  if (is_positive(bandwidths)) return(invisible())
  if (is.character(bandwidths) && length(bandwidths) == 1L && bandwidths %in% c("auto", "paper")) {
    return(invisible())
  }
  abort_arg("bandwidths", bandwidths, '"auto", "paper" or positive numbers', is_positive)
}

# What a bound must be under each rule, and the one that is taken where none is given. A rule
# without a default is cross-validated.
bound_rules <- list(
  cv.l1 = list(rule("a number of at least 0", function(x) is_number(x, 0)), NULL),
  cv.nu = list(
    rule("a number above 0 and at most 1", function(x) is_number(x, 0, 1) && x > 0), NULL
  ),
  loss = list(rule("a number from 0 to 1", function(x) is_number(x, 0, 1)), NULL),
  random = list(rule("a whole number of at least 0", function(x) is_whole(x, 0, 1e9)), 0),
  trap = list(rule("a whole number of at least 0", function(x) is_whole(x, 0, 1e9)), 3),
  whiteness = list(
    rule("a number strictly between 0 and 1", is_share), 0.05
  )
)

check_bound <- function(bound, stop) {
  if (stop == "none") {
    if (!is.null(bound)) {
      abort('`bound` has no meaning for stop = "none"; leave it out or choose a rule.',
            arg = "bound")
    }
    return(NULL)
  }
  known <- bound_rules[[stop]]
  if (is.null(bound)) return(known[[2L]])
  searched <- stop %in% c("cv.l1", "cv.nu", "loss")
  plain <- is.numeric(bound) && !is.object(bound) && length(bound) > 0L
  if (plain && (searched || length(bound) == 1L) && all(vapply(bound, known[[1L]]$ok, NA))) {
    return(as.numeric(bound))
  }
  abort_arg("bound", bound, paste0(known[[1L]]$want, if (searched) ", or several to choose from",
                                   ' for stop = "', stop, '"'),
            if (searched) known[[1L]]$ok)
}

check_traps <- function(traps, stop) {
  if (is.null(traps)) return(NULL)
  if (!stop %in% c("random", "trap")) {
    abort('`traps` has no meaning for stop = "', stop, '"; use stop = "random" or "trap".',
          arg = "traps")
  }
  if (stop == "trap" && !(is_positive(traps) && length(traps) == 1L)) {
    abort_arg("traps", traps, 'one positive bandwidth for stop = "trap"')
  }
  if (stop == "trap") return(traps)
  if (is.numeric(traps) && is.null(dim(traps)) && length(traps) > 1L) traps <- cbind(traps)
  own <- is.matrix(traps) && is.numeric(traps) && ncol(traps) > 0L && all(is.finite(traps))
  if (own || is_whole(traps, 1, 10000)) return(traps)
  abort_arg("traps", traps, paste("a whole number from 1 to 10000, or finite numbers: one vector,",
                                  "or a matrix of them"))
}

# Cross-validation, and random vectors that are not the user's own.
kbp_is_random <- function(s) {
  kbp_is_validated(s) || s$stop == "random" && !is.matrix(s$traps)
}

# Whether there are folds: for a search, for probabilities, or because they were asked for.
kbp_is_validated <- function(s) kbp_is_searched(s) || s$probability || s$folds_asked

kbp_is_searched <- function(s) s$stop != "none" && length(s$bound) != 1L

# A shorter series of bandwidths is taken if its cross-validated error is lower by a margin, which
# keeps chance out.
kbp_core_options <- function(s, x, half, seed, trials) {
  bounds <- s$bound
  if (s$stop == "cv.l1") bounds <- bounds / half
  lags <- if (s$stop == "whiteness") max(1, min(20, floor(nrow(x) / 4))) else 0
  if (s$stop == "whiteness") bounds <- stats::qchisq(1 - bounds, lags)
  validated <- kbp_is_validated(s)
  list(
    method = s$method, stop = s$stop, bounds = bounds, last_step = s$last.step,
    max_steps = as.integer(s$max.steps %||% min(2000, 8 * nrow(x))), lags = as.integer(lags),
    order = if (lags > 0 && ncol(x) == 1L) x[, 1L],
    folds = if (validated) as.integer(s$folds) else 0L, held_out = validated, trials = trials,
    margin = 0.04, center = s$intercept == "center",
    threads = s$threads, memory = s$memory,
    isa = resolve_isa(), seed = seed, verbose = s$verbose
  )
}
