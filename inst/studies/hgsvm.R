# Hierarchical Gaussian kernels: the comparison of Steinwart, Thomann and Schmid (arXiv:1612.00824)
# on those of its data sets that are at hand: mean squared error on new rows of hgsvm(), the global
# machine of vpsvm() and randomForest(), all with their defaults.
#
#   Rscript hgsvm.R [n=2000,5000] [reps=3] [data=bank32nh,cadata,...]
#                   [methods=vpsvm,forest,hgsvm] [test=20000] [threads=1] [out=results]
#
# Each run appends one row to OUT/hgsvm.csv; runs that are there already are not repeated, so that a
# study can be stopped, resumed and extended. The tables go to OUT/hgsvm.md. The data are read from
# the folder that the variable FLEXKERN_DATA names. `out` lies beside this script unless it is an
# absolute path.
#
# The response is scaled to [-1, 1] by the training rows and predictions are clipped to it. Classes
# are numbers: those of the sources, 1 to 26 for letters, two classes -1 and 1, and in covtype class
# 2 against the rest.
library(flexkern)

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
source(file.path(here, "hgsvm-report.R"))

settings_from <- function(given) {
  s <- list(n = "2000,5000", reps = "3", data = paste(hg_sets, collapse = ","),
            methods = "vpsvm,forest,hgsvm", test = "20000", threads = "1", out = "results")
  pairs <- strsplit(given, "=", fixed = TRUE)
  names(pairs) <- vapply(pairs, `[`, "", 1)
  stopifnot(all(names(pairs) %in% names(s)), lengths(pairs) == 2)
  s[names(pairs)] <- lapply(pairs, `[`, 2)
  for (name in c("n", "data", "methods")) s[[name]] <- strsplit(s[[name]], ",")[[1]]
  for (name in c("n", "reps", "test", "threads")) s[[name]] <- as.integer(s[[name]])
  if (!startsWith(s$out, "/")) s$out <- file.path(here, s$out)
  s
}

s <- settings_from(commandArgs(trailingOnly = TRUE))
options(flexkern.threads = s$threads, flexkern.verbose = FALSE)
dir.create(s$out, showWarnings = FALSE, recursive = TRUE)
file <- file.path(s$out, "hgsvm.csv")

# ---- data ----------------------------------------------------------------------------------------

# The codes of the Statlog collection.
soil <- c(red_soil = 1, cotton_crop = 2, grey_soil = 3, damp_grey_soil = 4,
          vegetation_stubble = 5, very_damp_grey_soil = 7)

response <- function(name, y) {
  switch(
    name, letter = match(y, LETTERS), satimage = unname(soil[y]), covtype = as.numeric(y == 2),
    magic = as.numeric(y == "g"), as.numeric(y)
  )
}

read_data <- function(name) {
  file <- file.path(Sys.getenv("FLEXKERN_DATA"), paste0(name, ".csv.gz"))
  if (!file.exists(file)) return(NULL)
  d <- utils::read.csv(file)
  y <- response(name, d$y)
  stopifnot(!anyNA(y))
  list(x = as.matrix(d[setdiff(names(d), c("y", "split"))]), y = y)
}

split_rows <- function(d, n, rep) {
  set.seed(1000 * rep + n)
  rows <- sample.int(nrow(d$x), min(nrow(d$x), n + s$test))
  train <- rows[seq_len(n)]
  test <- rows[-seq_len(n)]
  low <- min(d$y[train])
  half <- (max(d$y[train]) - low) / 2
  y <- (d$y - low) / half - 1
  list(x = d$x[train, ], y = y[train], test_x = d$x[test, ], test_y = y[test])
}

# ---- methods -------------------------------------------------------------------------------------

fit_method <- function(method, d, rep) {
  set.seed(rep)
  switch(
    method, vpsvm = vpsvm(d$x, d$y, partition = "none", seed = rep),
    forest = randomForest::randomForest(d$x, d$y), hgsvm = hgsvm(d$x, d$y, seed = rep)
  )
}

run <- function(d, method, rep) {
  fit <- NULL
  seconds <- system.time(fit <- suppressWarnings(suppressMessages(fit_method(method, d, rep))))
  predicted <- pmin(1, pmax(-1, stats::predict(fit, d$test_x)))
  data.frame(error = signif(mean((predicted - d$test_y)^2), 6),
             cpu = round(seconds[["user.self"]] + seconds[["sys.self"]], 2),
             tests = length(predicted))
}

done <- function(key) {
  if (!file.exists(file)) return(FALSE)
  rows <- utils::read.csv(file, colClasses = "character")
  any(Reduce(`&`, lapply(names(key), function(k) rows[[k]] == as.character(key[[k]]))))
}

append_row <- function(row) {
  utils::write.table(row, file, append = file.exists(file), col.names = !file.exists(file),
                     row.names = FALSE, sep = ",")
  message(format(Sys.time(), "%H:%M:%S "), paste(unlist(row), collapse = " "))
}

run_split <- function(name, n, rep) {
  keys <- data.frame(data = name, n = n, rep = rep, method = s$methods)
  open <- Filter(function(i) !done(keys[i, ]), seq_len(nrow(keys)))
  d <- if (length(open)) read_data(name)
  if (is.null(d)) return()
  part <- split_rows(d, n, rep)
  for (i in open) append_row(data.frame(keys[i, ], run(part, keys$method[i], rep)))
}

for (n in s$n) for (rep in seq_len(s$reps)) for (name in s$data) run_split(name, n, rep)
if (file.exists(file)) {
  lines <- report_lines(utils::read.csv(file))
  writeLines(lines, file.path(s$out, "hgsvm.md"))
  writeLines(lines)
}
