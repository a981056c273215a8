# The tables of sound.R. An entry stands below those that it relies on.

scaling_words <- c("range", "standardize", "none")

scaling_parts <- alist(
  center = are_numbers(v, within),
  factor = are_numbers(v, within),
  method = are_texts(v, within) && all(v %in% scaling_words)
)

# How new rows become rows of the design.
blueprint_parts <- alist(
  p = are_whole(v, 1L, 1),
  columns = is.null(v) || are_names(v, m$p),
  terms = is_sound_terms(v),
  kinds = is.null(v) || is_list_of(v, m$p, is_sound_kind),
  constants = is.null(v) || is_named_list(v),
  levels = are_sound_levels(v) && all(names(v) %in% if (is.null(m$kinds)) {
    m$columns
  } else {
    dimnames(attr(m$terms, "factors", TRUE))[[1L]]
  }),
  logical = is.null(v) || are_names(v),
  names = are_texts(v) && length(v) > 0L,
  indicator = are_flags(v, length(m$names)),
  source = are_whole(v, length(m$names), 1, if (is.null(m$terms)) m$p else length(m$names)),
  xlevels = are_sound_levels(v)
)

cv_parts <- alist(
  y = length(v) == within$rows && if (within$m$task == "regression") {
    are_numbers(v, na = TRUE)
  } else {
    is_factor(v, within$m$levels)
  },
  decision = if (is.null(dim(v))) {
    within$m$task == "regression" && within$columns == 1L &&
      are_numbers(v, within$rows, na = TRUE)
  } else {
    is_grid(v, within$rows, within$columns, na = TRUE) &&
      identical(dimnames(v)[[2L]], within$names)
  },
  # Rows that the fit left out have neither.
  fold = are_whole(v, within$rows, na = TRUE) && !anyNA(v[!is.na(cbind(m$decision)[, 1L])]),
  weights = is.null(v) || are_numbers(v, within$rows, 0, na = TRUE) &&
    !anyNA(v[!is.na(cbind(m$decision)[, 1L])])
)

# What all models have.
base_parts <- alist(
  version = is_text(v),
  formula = is_sound_formula(v),
  task = is_word(v, c("classification", "regression")),
  levels = m$task == "regression" && is.null(v) || are_names(v),
  classes = m$task == "regression" && length(v) == 0L ||
    are_names(v) && length(v) > 1L && all(v %in% m$levels),
  ordered = m$task == "regression" || is_flag(v),
  blueprint = has_parts(v, blueprint_parts),
  scaling = is_sound_scaling(v, length(m$blueprint$names)),
  clip = is_flag(v),
  n = are_whole(v, 1L, 1),
  folds = are_whole(v, 1L)
)

# Rows that were given: those of positive weight and others.
row_parts <- alist(
  unused = is.null(v) || are_whole(v, NULL, 1, NROW(m$residuals)) && !anyDuplicated(v),
  na.action = is_sound_omission(v, NROW(m$residuals))
)

grid_parts <- alist(
  gamma = are_numbers(v, NULL, 1e-300),
  lambda = are_numbers(v, NULL, 1e-300),
  risk = is.double(v) && (length(v) == 0L || has_size(v, length(m$gamma), length(m$lambda))),
  settled = are_flags(v, length(m$risk)) && identical(dim(v), dim(m$risk)),
  tried = is.null(v) ||
    is_grid(v, nrow(v), 3L, na = TRUE) && all(c("gamma", "lambda", "risk") %in% colnames(v)),
  each = is.null(v) || is.double(v) && has_size(v, length(m$risk), ncol(v)) && ncol(v) == within
)

sound_parts <- list()

sound_parts$vpsvm <- c(alist(call = is.call(v)), base_parts, alist(
  label = is_sound_label(v),
  loss = is.null(v) || is_word(v, loss_names),
  tau = is.null(v) || are_numbers(v, NULL, 0, 1) && length(v) > 0L,
  epsilon = is.null(v) || are_numbers(v, 1L, 0),
  multiclass = is.null(v) || is_word(v, c("ovr", "ovo")),
  class.weights = is.null(v) || length(m$classes) == 2L && is_grid(v, nrow(v), 2L) &&
    are_names(rownames(v)) && length(v) > 0L,
  kernel = is_word(v, c("radial", "polynomial", "linear")),
  degree = are_whole(v, 1L, 1, 20),
  coef0 = is_number(v),
  constant = is.null(v) || is_number(v, 0),
  gamma = are_numbers(v, NULL, 0) && length(v) > 0L,
  sv = is_numeric_table(v) && are_rows(v, nrow(v), length(m$blueprint$names)),
  nodes = is.null(v) || !is_sparse(m$sv) && are_sound_nodes(v, ncol(m$sv)),
  coef = is_grid(v, nrow(m$sv), max(1L, length(decision_names(m)))),
  fold.coef = is.null(v) || is_grid(v, nrow(m$sv), ncol(v)),
  intercept = is_grid(v, length(m$gamma), ncol(m$coef)),
  offset = are_whole(v, length(m$gamma) + 1L, 0, nrow(m$sv)) && !is.unsorted(v) &&
    v[1L] == 0 && v[length(v)] == nrow(m$sv),
  partition = is_word(v, c("none", "random", "voronoi", "bounded")),
  cell.of.center = is.integer(v) && are_whole(v, NULL, 1, length(m$gamma)) &&
    (length(v) > 0L) == (m$partition %in% c("voronoi", "bounded")),
  centers = are_rows(v, length(m$cell.of.center), ncol(m$sv)) && is_sparse(v) == is_sparse(m$sv),
  residuals = are_sound_residuals(v, m),
  fitted = are_sound_answers(v, m, NROW(m$residuals)),
  index = are_whole(v, nrow(m$sv), 1, NROW(m$residuals)),
  at = is.null(v) || are_numbers(v, NROW(m$residuals)),
  cell = are_whole(v, NROW(m$residuals), 1, length(m$gamma), na = TRUE),
  cell.size = are_whole(v, length(m$gamma)),
  radius = are_numbers(v, 1L, 0, na = TRUE),
  overlap = is.null(v) || are_numbers(v, 1L, 0, na = TRUE),
  lambda = are_numbers(v, length(m$gamma), 0),
  cv.risk = are_numbers(v, length(m$gamma), na = TRUE),
  iterations = are_whole(v, length(m$gamma)),
  converged = are_flags(v, length(m$gamma)),
  gap = is.null(v) || are_numbers(v, length(m$gamma), na = TRUE),
  search.rows = is.null(v) || are_whole(v, length(m$gamma)),
  own.risk = is.null(v) || is_grid(v, length(m$gamma), ncol(m$coef), na = TRUE),
  grid = is_list_of(v, length(m$gamma), function(g) has_parts(g, grid_parts, ncol(m$coef))),
  grid.given = is.null(v) || are_texts(v),
  cv.error = are_numbers(v, 1L, 0, Inf, na = TRUE),
  calibration = is_sound_calibration(v, m),
  cv = is_sound_cv(v, m, NROW(m$residuals)),
  final = is_word(v, c("average", "refit")),
  validation = is_text(v),
  bytes = are_numbers(v, 1L, 0),
  threads = are_whole(v, 1L),
  seconds = are_numbers(v, NULL, 0) && all(c("search", "solve", "total") %in% names(v))
), row_parts)

architecture_types <- c(name = "text", depth = "number", nodes = "number", weights = "number",
                        learned = "flag", error = "number", cv.risk = "number", chosen = "flag")

# What learning the weights of one architecture left.
learning_parts <- alist(
  chosen = are_whole(v, 1L, na = TRUE) || is.integer(v) && length(v) == 1L,
  trace = is_frame(v, c(round = "number", step = "number", validation = "number", test = "number"))
)

sound_parts$hgsvm <- c(sound_parts$vpsvm, alist(
  hierarchy = is_sound_node(v, ncol(m$sv)) && are_texts(v$design, ncol(m$sv)),
  nodes = !is.null(v) && are_sound_nodes(v, ncol(m$sv)),
  architectures = is_frame(v, architecture_types) && nrow(v) > 0L && !anyNA(v$chosen) &&
    sum(v$chosen) == 1L,
  learning = is_list_of(v, nrow(m$architectures), function(l) has_parts(l, learning_parts)),
  optimizer = is_text(v),
  learn.rows = are_whole(v, 1L, 1)
))

# A node of a hierarchy; `within` is the number of columns, or NULL where they may have names.
node_parts <- alist(
  columns = is.null(v) || are_sound_columns(v, within),
  nodes = if (is.null(m$columns)) {
    is.list(v) && length(v) > 0L && all(vapply(v, is_sound_node, NA, within))
  } else {
    is.null(v)
  },
  weights = is.double(v) && are_numbers(v, length(m$columns %||% m$nodes), -1e50, 1e50),
  depth = is.integer(v) && are_whole(v, 1L, 1, 50),
  size = is.integer(v) && are_whole(v, 1L, 1),
  design = is.null(v) || are_texts(v) && all(any_columns(m) %in% seq_along(v))
)

sound_parts$hg_kernel <- node_parts

# One kernel of the dictionary: a word, a function or hg_kernel() object, or given values.
block_parts <- alist(
  name = is_text(v),
  kernel = is.null(v) || is_word(v, kernel_words),
  `function` = is.null(v) || is.null(m$kernel) && is_sound_function(v, within),
  columns = if (is.null(m$kernel) && is.null(m[["function"]])) {
    m$name %in% c("given", "intercept")
  } else {
    are_whole(v, NULL, 1, within) && length(v) > 0L
  },
  gamma = is.null(m$kernel) || are_numbers(v, 1L, 0),
  degree = is.null(m$kernel) || are_whole(v, 1L, 1, 20),
  coef0 = is.null(m$kernel) || is_number(v),
  bandwidth = is.null(v) || are_numbers(v, 1L, 0),
  inputs = is.null(v) || are_texts(v, length(m$columns)),
  where = is.null(v) || is_text(v)
)

source_types <- c(kernel = "number", name = "text", bandwidth = "number", row = "number",
                  place = "number", mean = "number", scale = "number", center = "number")

point_types <- c(l1 = "number", correlation = "number", loss = "number", df = "number")

# `within` is the number of sources.
path_parts <- alist(
  points = is_frame(v, point_types) && nrow(v) > 0L && are_numbers(v$l1, NULL, 0),
  source = are_whole(v, NULL, 1, within),
  value = are_numbers(v, length(m$source)),
  offset = are_whole(v, nrow(m$points) + 1L, 0, length(m$source)) && !is.unsorted(v),
  mean = are_numbers(v, 1L),
  end = is_word(v, c("rule", "steps", "complete"))
)

sound_parts$kbp <- c(alist(call = is.call(v)), base_parts, alist(
  label = is_sound_label(v),
  sv = is.matrix(v) && are_rows(v, nrow(v), length(m$blueprint$names)),
  blocks = is_list_of(v, length(v), function(b) has_parts(b, block_parts, ncol(m$sv))) &&
    length(v) > 0L,
  sources = is_frame(v, source_types) && are_sound_sources(v, m$blocks, nrow(m$sv)),
  intercept = are_numbers(v) && length(v) > 0L,
  names = is.null(v) || m$task == "regression" && are_texts(v, length(m$intercept)),
  coef = is_grid(v, nrow(m$sources), length(m$intercept)) &&
    ncol(v) == max(1L, length(m$names), length(decision_names(m))),
  range = is.null(v) || has_size(v, 2L, ncol(m$coef)) && are_numbers(v),
  path = is_list_of(v, ncol(m$coef), function(p) has_parts(p, path_parts, nrow(m$sources))),
  grid = is_list_of(v, ncol(m$coef), function(g) {
    is_frame(g, c(bound = "number", cv.error = "number"))
  }),
  bound = are_numbers(v, ncol(m$coef), na = TRUE),
  edge = is.null(v) || are_texts(v, ncol(m$coef)),
  method = is_text(v),
  stop = is_word(v, c("cv.l1", "cv.nu", "random", "trap", "whiteness", "loss", "none")),
  size = are_numbers(v, 1L, 0),
  stored = is_flag(v),
  threads = are_whole(v, 1L),
  seconds = are_numbers(v, 1L, 0),
  residuals = is.numeric(v) && length(v) > 0L && if (ncol(m$coef) > 1L && !is.null(m$names)) {
    is_grid(v, nrow(v), ncol(m$coef))
  } else {
    are_numbers(v, length(v)) && is.null(dim(v))
  },
  fitted = is.null(v) || if (is.null(m$names)) {
    are_sound_answers(v, m, NROW(m$residuals))
  } else {
    is_grid(v, NROW(m$residuals), ncol(m$coef))
  },
  at = is.null(v) && ncol(m$sv) != 1L || are_numbers(v, NROW(m$residuals)),
  cv.error = are_numbers(v, NULL, 0, Inf, na = TRUE) && length(v) %in% c(1L, ncol(m$coef)),
  calibration = is_sound_calibration(v, m)
), row_parts)

subspace_types <- c(class = "factor", size = "number", rank = "number", energy = "number")

sound_parts$kos <- c(alist(call = is.call(v)), base_parts, alist(
  task = v == "classification",
  gamma = are_numbers(v, 1L, 0),
  centered = is_flag(v),
  sv = is.matrix(v) && are_rows(v, nrow(v), length(m$blueprint$names)),
  subspaces = is_frame(v, subspace_types) && nrow(v) > 0L &&
    identical(levels(v$class), m$classes) && !anyNA(v$class) && are_whole(v$size, NULL, 1) &&
    sum(v$size) == nrow(m$sv) && are_whole(v$rank) && all(v$rank <= v$size) &&
    are_numbers(v$energy),
  offset = are_whole(v, nrow(m$subspaces) + 1L) && v[1L] == 0 && all(diff(v) == m$subspaces$size),
  coef = is_list_of(v, nrow(m$subspaces), is.matrix) &&
    all(mapply(is_grid, v, m$subspaces$size, m$subspaces$rank + m$centered)),
  shift = is_list_of(v, nrow(m$subspaces), is.double) &&
    all(mapply(are_numbers, v, m$subspaces$rank * m$centered)),
  spread = are_numbers(v, nrow(m$subspaces)),
  spectrum = is_list_of(v, nrow(m$subspaces), is.double) &&
    all(mapply(are_numbers, v, m$subspaces$size, 0)),
  residuals = are_sound_residuals(v, m),
  fitted = are_sound_answers(v, m, NROW(m$residuals)),
  cv.error = are_numbers(v, 1L, 0, Inf, na = TRUE),
  calibration = is_sound_calibration(v, m),
  seconds = are_numbers(v, 1L, 0)
), row_parts)

# `within` is the number of columns.
view_parts <- alist(
  name = is_text(v),
  kernel = is.null(v) || is_word(v, mekl_words),
  `function` = is.null(v) == !is.null(m$kernel) && (is.null(v) || is_sound_function(v, within)),
  columns = are_whole(v, NULL, 1, within) && length(v) > 0L,
  gamma = is.null(m$kernel) || are_numbers(v, 1L, 0, na = TRUE),
  degree = is.null(m$kernel) || are_whole(v, 1L, 1, 20),
  coef0 = is.null(m$kernel) || is_number(v),
  inputs = is.null(v) || are_texts(v, length(m$columns))
)

machine_types <- c(name = "text", group = "number", positive = "number", negative = "number",
                   iterations = "number")

view_types <- c(group = "number", kernel = "number", name = "text", gamma = "number",
                rank = "number", size = "number")

sound_parts$rmekl <- c(alist(
  method = is_word(v, c("rmekl", "mhks", "kmhks", "svm2k")), call = is.call(v)
), base_parts, alist(
  task = v == "classification",
  basis = is_text(v),
  pairing = is_word(v, c("ovo", "ovr")),
  sv = is.matrix(v) && are_rows(v, nrow(v), length(m$blueprint$names)),
  kernels = is_list_of(v, length(v), function(k) has_parts(k, view_parts, ncol(m$sv))) &&
    length(v) > 0L,
  machines = is_frame(v, machine_types) && are_sound_machines(v, length(m$classes), m$pairing) &&
    (is.null(v$edge) || are_texts(v$edge)),
  views = is_frame(v, view_types) && are_sound_views(v, m),
  position = is_list_of(v, nrow(m$views), function(p) are_whole(p, NULL, 1, nrow(m$sv))) &&
    all(lengths(v) == m$views$size),
  coef = is_list_of(v, nrow(m$views), is.matrix) && all(mapply(
    is_grid, v, m$views$size,
    ifelse(m$views$size > 0L, tabulate(m$machines$group)[m$views$group], vapply(v, ncol, 1L))
  )),
  intercept = is.double(v) && are_numbers(v, nrow(m$machines)),
  objective = is_list_of(v, nrow(m$machines), function(o) is.double(o) && are_numbers(o)),
  penalties = is.list(v) && all(names(v) %in% names(m$machines)) &&
    all(vapply(m$machines[names(v)], are_numbers, NA)),
  residuals = are_sound_residuals(v, m),
  fitted = are_sound_answers(v, m, NROW(m$residuals)),
  index = are_whole(v, nrow(m$sv), 1, NROW(m$residuals)),
  sv.class = are_whole(v, nrow(m$sv), 1, length(m$classes)),
  cv.error = are_numbers(v, 1L, 0, Inf, na = TRUE),
  calibration = is_sound_calibration(v, m),
  seconds = are_numbers(v, 1L, 0)
), row_parts)

diameter_types <- c(class = "text", size = "number", diameter = "number", row1 = "number",
                    row2 = "number")

sound_parts$gamma_dmm <- alist(
  call = is.call(v),
  formula = is_sound_formula(v),
  gamma = is_positive(v) && are_numbers(v, 1L),
  sigma = are_numbers(v, 1L, 1e-300),
  D_max = are_numbers(v, 1L, 1e-300),
  d = are_numbers(v, 1L, 1e-300),
  lambda = is_share(v),
  distance = is_word(v, names(distance_words)),
  n = are_whole(v, 1L),
  sampled = are_whole(v, 1L),
  diameters = is_frame(v, diameter_types) && nrow(v) > 0L && are_numbers(v$diameter, NULL, 0),
  closest = is.null(v) || is_frame(v, c(distance = "number")),
  columns = are_texts(v) && length(v) > 0L,
  blueprint = has_parts(v, blueprint_parts),
  scaling = is_sound_scaling(v, length(m$columns))
)
