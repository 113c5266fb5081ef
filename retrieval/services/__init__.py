"""The services that write runs."""

from retrieval.run_names import CITED as CITED
from retrieval.services.embeddings import import_embeddings as import_embeddings
from retrieval.services.query_texts import analysed_name as analysed_name
from retrieval.services.query_texts import analysis_of as analysis_of
from retrieval.services.query_texts import available_retrievers as available_retrievers
from retrieval.services.query_texts import check_allowed as check_allowed
from retrieval.services.query_texts import retriever_named as retriever_named
from retrieval.services.query_texts import usual_retrievers as usual_retrievers
from retrieval.services.run_files import names_by_paper as names_by_paper
from retrieval.services.run_files import query_names_of as query_names_of
from retrieval.services.run_files import run_lines as run_lines
from retrieval.services.runs import DEFAULT_DEPTH as DEFAULT_DEPTH
from retrieval.services.runs import RunFile as RunFile
from retrieval.services.runs import RunOptions as RunOptions
from retrieval.services.runs import check_names as check_names
from retrieval.services.runs import check_run as check_run
from retrieval.services.runs import import_run as import_run
from retrieval.services.runs import import_runs as import_runs
from retrieval.services.runs import open_index as open_index
from retrieval.services.runs import remove_run as remove_run
from retrieval.services.runs import request_run as request_run
from retrieval.services.runs import retrieve as retrieve
