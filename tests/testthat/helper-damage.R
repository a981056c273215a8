# Damaged models: one part of a model replaced, and what the methods say of it.

# The places of a model: itself, every part of a list and every attribute (the slots of a sparse
# matrix are attributes too), at any depth. A step of a path is a position or the name of an
# attribute.
damage_places <- function(x, path = list()) {
  steps <- c(if (is.list(x)) as.list(seq_along(x)), as.list(attribute_names(x, path)))
  below <- lapply(steps, function(step) damage_places(at_step(x, step), c(path, list(step))))
  c(if (length(path)) list(path), unlist(below, recursive = FALSE))
}

# Another class of the whole is another object, and the source of a function is no part of a model.
attribute_names <- function(x, path) {
  if (is.function(x) || is.environment(x)) return(character())
  setdiff(names(attributes(x)), c("srcref", ".Environment", if (length(path) == 0) "class"))
}

at_step <- function(x, step) if (is.character(step)) attr(x, step, TRUE) else unclass(x)[[step]]

at_place <- function(x, path) Reduce(at_step, path, x)

# `put` is a list of the new value, or empty to drop the place.
put_at <- function(x, path, put) {
  step <- path[[1]]
  if (length(path) > 1) put <- list(put_at(at_step(x, step), path[-1], put))
  if (is.character(step)) return(put_attribute(x, step, put))
  kept <- attributes(x)
  out <- unclass(x)
  if (length(put)) {
    out[step] <- put
  } else {
    out <- out[-step]
    kept$names <- kept$names[-step]
  }
  attributes(out) <- kept
  out
}

# Where R itself refuses the attribute, there is nothing to try.
put_attribute <- function(x, name, put) {
  attr(x, name) <- if (length(put)) put[[1]]
  x
}

# What may become of a part, each in a list; `list()` drops it.
damages_of <- function(v) {
  any_part <- list(
    drop = list(), null = list(NULL), na = list(NA), text = list("a"), nothing = list(list()),
    wide = list(matrix(1, 3, 7)), huge = list(2^31), negative = list(-1L), infinite = list(Inf),
    code = list(quote(stop("no"))), number = list(1), truth = list(TRUE),
    nested = list(list(list()))
  )
  if (length(v) == 0 || is.function(v) || is.language(v)) return(any_part)
  first <- function(value) list(replace(v, 1L, value))
  named <- !is.null(names(v)) && length(v) > 1
  several <- is.atomic(v) || is.list(v)
  c(any_part, if (several && !isS4(v)) c(
    list(empty = list(v[0L]), double = list(c(v, v)), bare = list(as.vector(v)),
         backwards = list(rev(v)), in.list = list(list(v))),
    if (length(v) > 1) list(short = list(v[-1L])),
    if (named) list(names = list(stats::setNames(v, rev(names(v))))),
    if (is.numeric(v) && !is.object(v)) {
      list(large = first(2^31), below = first(-1), zero = first(0), missing = first(NA),
           endless = first(-Inf), whole = list(trunc(v)), text.of = list(as.character(v)),
           whole.type = list(suppressWarnings(as.integer(v))), beyond = first(1e300),
           past = first(max(v, 0, na.rm = TRUE) + 1L), complex = list(as.complex(v)))
    },
    if (is.character(v) || is.logical(v)) list(missing = first(NA), other = first("no such word")),
    if (is.matrix(v)) list(turned = list(t(v)), fewer = list(v[, 0, drop = FALSE]))
  ))
}

# All tries on a model: a place and the name of a damage.
damage_tries <- function(model) {
  tries <- lapply(damage_places(model), function(path) {
    names <- tryCatch(names(damages_of(at_place(model, path))), error = function(e) "drop")
    lapply(names, function(name) list(path = path, name = name))
  })
  unlist(tries, recursive = FALSE)
}

# NULL where R cannot make it.
damaged <- function(model, try) {
  put <- function() {
    put_at(model, try$path, damages_of(at_place(model, try$path))[[try$name]])
  }
  tryCatch(suppressWarnings(put()), error = function(e) NULL)
}

# "model$part[[2]]@dim (drop)"
try_label <- function(case, try) {
  model <- case$model
  label <- case$name
  for (step in try$path) {
    name <- if (!is.character(step)) names(unclass(model))[step]
    label <- paste0(label, if (is.character(step)) paste0("@", step) else
      if (is.null(name) || is.na(name) || !nzchar(name)) paste0("[[", step, "]]") else
        paste0("$", name))
    model <- at_step(model, step)
  }
  paste0(label, " (", try$name, ")")
}

# What every use of the model says: nothing, if it answers or refuses in our words.
stray_answers <- function(model, uses) {
  said <- vapply(uses, function(use) {
    setTimeLimit(elapsed = 20, transient = TRUE)
    on.exit(setTimeLimit())
    tryCatch(
      {
        suppressWarnings(suppressMessages(use(model)))
        ""
      },
      flexkern_error = function(e) "",
      error = function(e) paste(conditionMessage(e), collapse = " ")
    )
  }, "")
  said[nzchar(said)]
}

# In this process: the tries from the given one on, with their number in the log before each.
run_tries <- function(case, from, log) {
  model <- case$model
  tries <- case$tries
  uses <- model_uses(case)
  grDevices::pdf(NULL)
  sink(nullfile())
  note <- function(...) cat(..., "\n", sep = "", file = log, append = TRUE)
  for (i in seq(from, length(tries))) {
    note("try ", i)
    broken <- damaged(model, tries[[i]])
    if (is.null(broken)) next
    said <- stray_answers(broken, uses)
    if (length(said)) {
      note("stray ", try_label(case, tries[[i]]), ": ",
           gsub("\n", " ", paste(names(said), said, collapse = "; ")))
    }
  }
  note("end")
}

# Whatever can be done with a model, on new rows.
model_uses <- function(case) {
  new <- case$newdata
  answers <- function(...) lapply(list(...), function(type) {
    force(type)
    function(m) predict(m, new, type = type)
  })
  pictures <- function(...) lapply(list(...), function(type) {
    force(type)
    function(m) plot(m, type = type)
  })
  common <- list(
    print = print, summary = function(m) print(summary(m)),
    update = function(m) update(m, evaluate = FALSE), formula = stats::formula
  )
  if (inherits(case$model, "gamma_dmm")) {
    return(c(common, list(format = format, number = as.numeric, plot = plot, fit = function(m) {
      predict(vpsvm(new, case$y, gamma = m, lambda = 0.1), new)
    })))
  }
  if (inherits(case$model, "hg_kernel")) {
    return(list(print = print, plot = plot, gram = function(m) hg_gram(m, new),
                fit = function(m) vpsvm(new, case$y, kernel = m, gamma = 1, lambda = 0.1)))
  }
  common <- c(common, list(
    fitted = stats::fitted, residuals = stats::residuals, nobs = stats::nobs,
    own = function(m) predict(m), importance = function(m) {
      importance(m, new, case$y, nperm = 1, seed = 1)
    }
  ), answers("response", "decision", "prob", "votes"), list(
    novel = function(m) predict(m, new, novel = "ignore", na.action = na.omit)
  ))
  if (inherits(case$model, "vpsvm")) {
    more <- c(list(
      coef = stats::coef, cv_table = cv_table, roc_curve = roc_curve, roc = function(m) {
        roc_curve(m, new, case$y)
      }, interval = function(m) predict(m, new, interval = "conformal", level = 0.5)
    ), pictures("cv", "cells", "fit", "roc"))
  }
  if (inherits(case$model, "hgsvm")) {
    more <- c(more, pictures("weights", "error"), list(shares = function(m) importance(m)))
  }
  if (inherits(case$model, "kos")) more <- list(plot = plot)
  if (inherits(case$model, "rmekl")) {
    more <- c(answers("pairs"), pictures("objective", "map"), list(
      coef = stats::coef, map = function(m) plot(m, "map", newdata = new, y = case$y)
    ))
  }
  if (inherits(case$model, "kbp")) {
    more <- c(pictures("path", "cv", "fit"), list(
      coef = stats::coef, raw = function(m) stats::coef(m, s = 1.5, standardized = TRUE),
      cv_table = cv_table, step = function(m) predict(m, new, s = 1.5, blocks = case$blocks),
      l1 = function(m) predict(m, new, s = 0.5, mode = "fraction", blocks = case$blocks),
      blocks = function(m) predict(m, new, blocks = case$blocks)
    ))
  }
  c(common, more)
}

# All tries on the models, each in a child process that may die: what was not an answer or an error
# of ours. A case is a list of a model, its tries, and new rows with their response.
damage_report <- function(cases) {
  skip_on_cran()
  skip_on_os("windows")
  files <- tempfile(c("script", "values", "log"))
  on.exit(unlink(files))
  saveRDS(cases, files[2])
  # More than they ever take; what can be interrupted ends sooner.
  seconds <- 120 + sum(lengths(lapply(cases, `[[`, "tries")))
  found <- character()
  case <- from <- 1L
  while (case <= length(cases)) {
    unlink(files[3])
    writeLines(deparse(bquote({
      .libPaths(.(.libPaths()))
      library(flexkern)
      options(flexkern.threads = 1, flexkern.verbose = FALSE)
      sys.source(.(normalizePath(test_path("helper-damage.R"))), globalenv())
      cases <- readRDS(.(files[2]))
      for (case in seq(.(case), length(cases))) {
        cat("case ", case, "\n", sep = "", file = .(files[3]), append = TRUE)
        run_tries(cases[[case]], if (case == .(case)) .(from) else 1L, .(files[3]))
        while (sink.number()) sink()
      }
      cat("done\n", file = .(files[3]), append = TRUE)
    })), files[1])
    rscript <- shQuote(file.path(R.home("bin"), "Rscript"))
    system(paste("ulimit -v 16000000;", rscript, "--vanilla", shQuote(files[1])), timeout = seconds,
           ignore.stdout = TRUE, ignore.stderr = TRUE)
    log <- if (file.exists(files[3])) readLines(files[3]) else "case 0"
    found <- c(found, sub("^stray ", "", grep("^stray ", log, value = TRUE)))
    if ("done" %in% log) break
    last <- function(what) {
      as.integer(sub(what, "", utils::tail(grep(what, log, value = TRUE), 1), fixed = TRUE))
    }
    case <- last("case ")
    at <- last("try ")
    if (case == 0L || length(at) == 0L) stop("The child process did not begin.")
    died <- cases[[case]]
    found <- c(found, paste(try_label(died, died$tries[[at]]), "ended the process"))
    from <- at + 1L
    if (from > length(died$tries)) {
      case <- case + 1L
      from <- 1L
    }
  }
  found
}
