# What a fitter takes as `gamma`: numbers, a gamma_dmm() object, or the name of a rule that finds
# one from the scaled training rows.

gamma_rules <- c("dmm", "median")

is_gamma <- function(x) {
  if (inherits(x, "gamma_dmm")) check_sound(x)
  is_positive(x) || inherits(x, "gamma_dmm") || is_gamma_rule(x)
}

is_gamma_rule <- function(x) is.character(x) && length(x) == 1L && x %in% gamma_rules

# No search over gamma.
is_one_gamma <- function(gamma) inherits(gamma, "gamma_dmm") || length(gamma) == 1L

check_gamma_kernel <- function(gamma, kernel) {
  if (kernel == "radial" || is.null(gamma) || is.numeric(gamma)) return(invisible())
  what <- if (is.character(gamma)) paste0("gamma = ", dQuote(gamma, FALSE)) else
    "A gamma_dmm() object"
  abort(what, " is for the radial kernel, not for kernel = ", dQuote(kernel, FALSE),
        "; give a number.", arg = "gamma")
}

# The scaling that a gamma_dmm() object was computed under, or the one that is asked for.
fit_scaling <- function(x, blueprint, s) {
  if (!inherits(s$gamma, "gamma_dmm")) return(learn_scaling(x, blueprint, s$scale, centers(s)))
  if (s$scale_asked) {
    abort("`gamma` comes from gamma_dmm() with a scaling of its own; leave `scale` out, or give ",
          "as.numeric(gamma).", arg = "scale")
  }
  carried <- s$gamma$columns
  at <- match(blueprint$names, carried)
  if (anyNA(at) || !all(spare_columns(s$gamma$blueprint, at)[-at])) {
    abort("`gamma` was computed on the columns ", name_list(carried), ", but the model has ",
          name_list(blueprint$names), "; compute it on the same columns or give ",
          "as.numeric(gamma).", arg = "gamma")
  }
  lapply(s$gamma$scaling, `[`, at)
}

# Whether a column may be absent from a fit: a level of a factor of which others are there.
spare_columns <- function(blueprint, at) {
  blueprint$indicator & blueprint$source %in% blueprint$source[at]
}

# A linear machine with a constant is the same wherever the origin is, but for rounding.
centers <- function(s) identical(s$kernel, "linear") && !identical(s$offset, "none")

# Numbers, from the scaled rows x, all of positive weight.
resolve_gamma <- function(gamma, x, outcome, weights, options) {
  if (inherits(gamma, "gamma_dmm")) return(gamma$gamma)
  if (!is_gamma_rule(gamma)) return(gamma)
  if (gamma == "dmm" && outcome$task != "classification") stop_dmm_regression('gamma = "dmm"')
  if (is_sparse(x)) x <- filled_columns(x)
  if (gamma == "median") return(median_gamma(x, options$memory))
  dmm_width(dense_rows(x, options$memory), outcome, "nn", 0.5, options, weights)$gamma
}

stop_dmm_regression <- function(what) {
  abort(what, " needs classes, but `y` is numeric (regression); use gamma_median() or the grid of ",
        "vpsvm(), or give factor(y).", arg = "y")
}

# The exact distances are computed on dense rows.
dense_rows <- function(x, memory) {
  if (!is_sparse(x)) return(x)
  check_dense(dim(x), memory)
  unname(as.matrix(x))
}

check_dense <- function(size, memory) {
  needed <- 3 * 8 * prod(size)
  if (needed <= memory) return(invisible())
  abort("The distances need the rows as a dense matrix, with copies ", format_bytes(needed),
        " of memory, more than the budget of ", format_bytes(memory), "; use fewer columns, give ",
        "`gamma` as a number, or raise `memory` (or the option `flexkern.memory`).",
        arg = "memory")
}
