# One vocabulary of arguments: a name means the same thing and fails the same way everywhere.

abort <- function(..., arg = NULL) {
  stop(structure(
    class = c("flexkern_error", "error", "condition"),
    list(message = paste0(...), call = NULL, arg = arg)
  ))
}

warn <- function(...) warning(paste0(...), call. = FALSE)

abort_arg <- function(arg, found, want, each = NULL) {
  abort(value_name(arg, found), " must be ", want, ", not ",
        describe_entry(found, each) %||% describe(found), ".", arg = arg)
}

# The argument, or the option of this name that its value comes from.
value_name <- function(arg, value) {
  option <- paste0("flexkern.", arg)
  set <- getOption(option)
  if (!is.null(set) && identical(set, value)) return(paste0("The option `", option, "`"))
  paste0("`", arg, "`")
}

# Of several numbers the first that does not pass on its own, with its place.
describe_entry <- function(x, each) {
  if (is.null(each) || !is.numeric(x) || is.object(x) || length(x) < 2L) return(NULL)
  at <- which(!vapply(as.vector(x), each, NA))[1L]
  if (is.na(at)) return(NULL)
  paste(format(x[[at]], digits = 15), "at position", at)
}

# What was found, in a few words.
describe <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.character(x) && length(x) == 1L && !is.na(x)) return(dQuote(shorten(x), FALSE))
  if (is.atomic(x) && length(x) == 1L && !is.object(x)) return(format(x, digits = 15))
  if (is.data.frame(x) || length(dim(x)) == 2L) {
    return(sprintf("%s of %d x %d", with_article(table_kind(x)), nrow(x), ncol(x)))
  }
  if (is.function(x) || is.language(x) || is.environment(x)) return(with_article(first_class(x)))
  sprintf("%s of length %d", with_article(vector_kind(x)), length(x))
}

# What another error says, to go on within a sentence of ours.
reason <- function(e) sub("[.[:space:]]+$", "", gsub("[[:space:]]+", " ", conditionMessage(e)))

shorten <- function(x, width = 40L) if (nchar(x) > width) paste0(substr(x, 1L, width), "...") else x

first_class <- function(x) {
  class <- class(x)[1L]
  switch(class, data.frame = "data frame", tbl_df = "tibble", call = "call", class)
}

table_kind <- function(x) {
  class <- first_class(x)
  if (class == "matrix") paste(mode(x), class) else class
}

vector_kind <- function(x) {
  if (is.object(x) || is.list(x)) return(first_class(x))
  paste(if (is.numeric(x)) "numeric" else first_class(x), "vector")
}

with_article <- function(noun) paste(if (grepl("^[aeiouAEIOU]", noun)) "an" else "a", noun)

# At most five names, in backticks.
name_list <- function(names, max = 5L) {
  shown <- paste0("`", utils::head(names, max), "`", collapse = ", ")
  if (length(names) > max) shown <- paste0(shown, " and ", length(names) - max, " more")
  shown
}

plural <- function(n, one, many = paste0(one, "s")) if (n == 1) one else many

# ---- the vocabulary --------------------------------------------------------------------------

is_number <- function(x, min = -Inf, max = Inf) {
  is.numeric(x) && !is.object(x) && length(x) == 1L && is.finite(x) && x >= min && x <= max
}
is_whole <- function(x, min, max) {
  is_number(x, min, max) && x == round(x)
}
# Beyond these bounds sums and products would leave the range of double precision.
is_positive <- function(x) {
  is.numeric(x) && length(x) > 0L && !anyNA(x) && all(x >= 1e-100) && all(x <= 1e100)
}
is_flag <- function(x) is.logical(x) && length(x) == 1L && !is.na(x)

is_share <- function(x) is_number(x, 0, 1) && x > 0 && x < 1
are_shares <- function(x) {
  is.numeric(x) && !is.object(x) && length(x) > 0L && all(vapply(x, is_share, NA))
}

# `each`: what a single one of several numbers must pass.
rule <- function(want, ok, null = FALSE, each = NULL) {
  list(want = want, ok = ok, null = null, each = each)
}
flag <- rule("TRUE or FALSE", is_flag)
flag_or_auto <- rule('TRUE, FALSE or "auto"', function(x) is_flag(x) || identical(x, "auto"))
positive <- rule("positive numbers (from 1e-100 to 1e100)", is_positive, TRUE, is_positive)
share <- rule("one number strictly between 0 and 1", is_share)
# Without `max`, what is too large is refused where the data are known.
whole <- function(min, max = NULL, null = FALSE) {
  range <- if (is.null(max)) paste("of at least", min) else
    paste("from", min, "to", if (max == 1e9) "1e9" else format(max))
  rule(paste("a whole number", range), function(x) is_whole(x, min, max %||% Inf), null)
}

vocabulary <- list(
  radius = rule("one positive number", function(x) is_number(x) && x > 0, TRUE),
  cells = whole(1, null = TRUE),
  first = whole(1, null = TRUE),
  max.cell = whole(10, 1e9, TRUE),
  overlap = rule("one number from 0 to 1", function(x) is_number(x, 0, 1), TRUE),
  degree = whole(1, 20),
  coef0 = rule("one finite number", is_number),
  gamma = rule('positive numbers (from 1e-100 to 1e100), a gamma_dmm() object, "dmm", "median"',
               function(x) is_gamma(x), TRUE, is_positive),
  lambda = positive, cost = positive,
  energy = rule("one number above 0 and at most 1", function(x) is_number(x, 0, 1) && x > 0),
  rank = whole(1, null = TRUE),
  max.class = whole(2, 1e9),
  probs = rule("numbers strictly between 0 and 1", are_shares, each = is_share),
  max.n = rule("a number of at least 2", function(x) is_number(x, 2) || identical(x, Inf)),
  folds = whole(2, 1e9),
  search.rows = whole(100, 1e9),
  epsilon = rule("one number of at least 0", function(x) is_number(x, 0)),
  refine = flag, clip = flag_or_auto, probability = flag, verbose = flag, standardized = flag,
  tol = share, level = share, centered = flag,
  max.iter = whole(1, 1e9),
  threads = whole(1, 1024, TRUE),
  max.steps = whole(1, 1e9, TRUE),
  memory = rule("a positive number of bytes", function(x) is_number(x) && x > 0, TRUE),
  seed = whole(0, .Machine$integer.max, TRUE),
  c = positive, D = positive,
  balance = rule("two positive numbers", function(x) is_positive(x) && length(x) == 2L,
                 each = is_positive),
  max.rank = whole(1, 1e9, TRUE),
  rho = rule("one number above 0 and at most 1", function(x) is_number(x, 0, 1) && x > 0),
  b.start = rule("one number of at least 0", function(x) is_number(x, 0)),
  xi = rule("one number from 0 to 1", function(x) is_number(x, 0, 1)),
  n = whole(2, 1e9),
  noise = rule("one number of at least 0", function(x) is_number(x, 0), TRUE),
  cell = whole(1, null = TRUE),
  nperm = whole(1, 1e9),
  digits = whole(1, 15)
)

# check_args(folds = folds, tol = tol): each value against the rule of its name.
check_args <- function(...) check_values(list(...))

check_values <- function(values) {
  for (arg in names(values)) {
    rule <- vocabulary[[arg]]
    value <- values[[arg]]
    if (is.null(value) && rule$null) next
    if (!isTRUE(rule$ok(value))) {
      abort_arg(arg, value, paste0(rule$want, if (rule$null) " or NULL"), rule$each)
    }
  }
}

# One of a few words; an untouched default means the first, an unambiguous beginning is enough. A
# grid of expand.grid(), as tune() makes one, holds them as a factor.
check_choice <- function(value, choices, arg) {
  if (is.factor(value) && length(value) == 1L) value <- as.character(value)
  if (identical(value, choices)) return(choices[1L])
  found <- if (is.character(value) && length(value) == 1L) pmatch(value, choices) else NA
  if (!is.na(found)) return(choices[found])
  words <- paste0('"', choices, '"', collapse = ", ")
  abort_arg(arg, value, if (length(choices) > 1L) paste("one of", words) else words)
}

# ---- unknown arguments -----------------------------------------------------------------------

# Names that users of other packages type, and what they are called here.
foreign_names <- c(
  decision.values = 'type = "decision"', cross = "folds", tolerance = "tol", C = "cost",
  num.threads = "threads", scaled = "scale", wts = "weights", class.weight = "class.weights",
  classwt = "class.weights", sigma = "gamma", kpar = "gamma", prob.model = "probability = TRUE",
  max_iter = "max.iter", nthreads = "threads"
)

# What to do about arguments of the formula method beside x and y.
formula_arguments <- c(
  formula = "leave it out", data = "leave it out", subset = "give `x[rows, ]` and `y[rows]`"
)

check_dots <- function(dots, known, where) {
  if (length(dots) == 0L) return(invisible())
  names <- names(dots)
  if (is.null(names) || !all(nzchar(names))) {
    abort(where, "() got an argument without a name after its last position; name every option.")
  }
  bad <- names[1L]
  if (bad == "x" && inherits(dots$x, "formula")) {
    abort("`x` is a formula; give it as the first argument without a name, or as `formula`.",
          arg = "x")
  }
  if (bad %in% intersect(known, names(formula_arguments))) {
    abort("`", bad, "` belongs to ", where, "(formula, data, ...); with `x` and `y` ",
          formula_arguments[[bad]], ".", arg = bad)
  }
  hint <- nearest_name(bad, known)
  abort(
    where, "() has no argument `", bad, "`.",
    if (!is.null(hint)) paste0(" Did you mean `", hint, "`?"),
    arg = bad
  )
}

nearest_name <- function(bad, known) {
  if (bad %in% names(foreign_names)) return(foreign_names[[bad]])
  distance <- utils::adist(bad, known, ignore.case = TRUE)[1L, ]
  if (min(distance) > max(1, nchar(bad) / 3)) return(NULL)
  known[which.min(distance)]
}
